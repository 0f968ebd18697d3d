#include "ns/eager/module_logger.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "passes/analysis/op_outputs.h"
#include "passes/instrument/logger_calls.h"
#include "passes/rewrite/tensor_in.h"

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
                                                  size_t arity,
                                                  const Node* call) {
  const size_t count =
      call == nullptr ? 1 : std::max<size_t>(OutputTensors(*call).size(), 1);
  std::vector<std::string> attributes;
  for (size_t i = 0; i < count; ++i) {
    LoggerInfo of_output = info;
    of_output.output_index = static_cast<int>(i);
    if (count > 1) {
      of_output.output_name = OutputName(KnownOutputName(*call, i), i);
    }
    NS_ASSIGN_OR_RETURN(const c10::IValue logger, factory(of_output));
    NS_ASSIGN_OR_RETURN(attributes.emplace_back(),
                        AttachLogger(host, {logger, of_output}, arity));
  }
  return ModuleLogger(host, info.fqn, std::move(attributes));
}

absl::Status ModuleLogger::Call(absl::Span<Value* const> values,
                                Node* place) const {
  size_t count = attributes_.size();
  for (const Value* value : values) {
    count = std::min(count, CountTensors(*value->type()));
  }
  // The first logger is called in any case: its error says what a value lacks.
  for (size_t i = 0; i < std::max<size_t>(count, 1); ++i) {
    NS_RETURN_IF_ERROR(CallOne(i, values, place));
  }
  return absl::OkStatus();
}

absl::Status ModuleLogger::CallOne(size_t index,
                                   absl::Span<Value* const> values,
                                   Node* place) const {
  std::vector<Value*> tensors;
  for (Value* value : values) {
    NS_ASSIGN_OR_RETURN(Value * tensor,
                        Annotated(absl::StrCat("module '", fqn_, "'"),
                                  TensorIn(value, index, place)));
    tensors.push_back(tensor);
  }
  return Annotated(
      absl::StrCat("logging '", fqn_, "'"),
      CallLogger(*host_, attributes_[index], tensors, place).status());
}

}  // namespace ns
