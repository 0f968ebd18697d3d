#include "passes/instrument/logger_calls.h"

#include "absl/strings/str_cat.h"
#include "ir/insert_method_call.h"
#include "ir/status.h"
#include "ir/torch_errors.h"

namespace ns {

absl::StatusOr<std::string> AttachLogger(ModelGraph& host,
                                         const AttachedLogger& logger,
                                         size_t arity) {
  NS_RETURN_IF_ERROR(CheckLogger(logger.object, arity));
  return CatchTorchErrors(
      absl::StrCat("attaching the logger of '", logger.info.layer, "'"),
      [&] { return AttachLogger(host.module(), logger); });
}

absl::StatusOr<torch::jit::Value*> CallLogger(
    ModelGraph& host, const std::string& logger,
    const std::vector<torch::jit::Value*>& tensors, torch::jit::Node* place) {
  return InsertMethodCall(host, logger, "forward", tensors, place);
}

}  // namespace ns
