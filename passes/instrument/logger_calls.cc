#include "passes/instrument/logger_calls.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/model/insert_method_call.h"
#include "passes/instrument/logger_writes.h"

namespace ns {

using ::torch::jit::Value;

absl::StatusOr<std::string> AttachLogger(ModelGraph& host,
                                         const AttachedLogger& logger,
                                         size_t arity) {
  NS_RETURN_IF_ERROR(CheckLogger(logger.object, arity));
  return CatchTorchErrors(
      absl::StrCat("attaching the logger of '", logger.info.layer, "'"),
      [&] { return AttachLogger(host.module(), logger); });
}

absl::StatusOr<Value*> CallLogger(ModelGraph& host, const std::string& logger,
                                  const std::vector<Value*>& tensors,
                                  torch::jit::Node* place) {
  if (!host.module().hasattr(logger) ||
      !MayWriteToTensors(host.module().attr(logger))) {
    return InsertMethodCall(host, logger, "forward", tensors, place);
  }
  const torch::jit::WithInsertPoint at(place);
  std::vector<Value*> copies;
  for (Value* tensor : tensors) {
    copies.push_back(place->owningGraph()->insert(c10::aten::clone, {tensor}));
  }
  return InsertMethodCall(host, logger, "forward", copies, place);
}

}  // namespace ns
