#include "ns/eager/module_logger.h"

#include <torch/csrc/jit/ir/ir.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "passes/rewrite/first_tensor.h"
#include "passes/rewrite/insert_method_call.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

LoggerInfo ModuleLoggerInfo(const ModulePath& callee,
                            const std::string& model_name) {
  LoggerInfo info;
  info.layer = std::string(callee.fqn);
  info.type = kNodeOutputResult;
  info.model_name = model_name;
  info.ref_node_name = info.prev_node_name = info.layer;
  info.ref_node_target_type = info.prev_node_target_type =
      std::string(callee.type);
  info.fqn = info.layer;
  return info;
}

absl::StatusOr<ModuleLogger> ModuleLogger::Attach(ModelGraph& host,
                                                  const LoggerFactory& factory,
                                                  const LoggerInfo& info,
                                                  size_t arity) {
  NS_ASSIGN_OR_RETURN(const c10::IValue logger, factory(info));
  NS_RETURN_IF_ERROR(CheckLogger(logger, arity));
  NS_ASSIGN_OR_RETURN(
      std::string attribute,
      CatchTorchErrors(absl::StrCat("attaching the logger of '", info.fqn, "'"),
                       [&] {
                         return AttachLogger(host.module(), {logger, info});
                       }));
  return ModuleLogger(host, info.fqn, std::move(attribute));
}

absl::Status ModuleLogger::Call(absl::Span<Value* const> values,
                                Node* place) const {
  std::vector<Value*> tensors;
  for (Value* value : values) {
    NS_ASSIGN_OR_RETURN(Value * tensor,
                        Annotated(absl::StrCat("module '", fqn_, "'"),
                                  FirstTensor(value, place)));
    tensors.push_back(tensor);
  }
  return Annotated(
      absl::StrCat("logging '", fqn_, "'"),
      InsertMethodCall(*host_, attribute_, "forward", tensors, place).status());
}

}  // namespace ns
