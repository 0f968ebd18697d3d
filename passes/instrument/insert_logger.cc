#include "passes/instrument/insert_logger.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/instrument/logger_calls.h"
#include "passes/rewrite/first_tensor.h"
#include "passes/rewrite/tensor_in.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

void SetPrevious(const Value& value, LoggerInfo& info) {
  info.prev_node_name = ValueName(value);
  info.prev_node_target_type = std::string(OpName(*value.node()));
}

struct LoggedInput {
  Value* value;
  int index_of_arg;
  int index_within_arg;
};

// The tensors that the first node of `subgraph` takes, but weights. What a list
// was made of is not what the node takes where ops change the list later.
std::vector<LoggedInput> LoggedInputs(const Subgraph& subgraph) {
  std::vector<LoggedInput> logged;
  const auto add = [&](Value* value, size_t argument, size_t element) {
    if (IsTensor(*value) && !DataInputsOfArgument(*value).empty()) {
      logged.push_back(
          {value, static_cast<int>(argument), static_cast<int>(element)});
    }
  };
  const bool is_control_flow = !subgraph.start->blocks().empty();
  const std::vector<Value*> arguments =
      is_control_flow ? DataInputsOf(subgraph) : subgraph.start->inputs().vec();
  for (size_t i = 0; i < arguments.size(); ++i) {
    Node* source = arguments[i]->node();
    if (source->kind() == c10::prim::ListConstruct &&
        !IsWrittenTo(*arguments[i])) {
      for (size_t j = 0; j < source->inputs().size(); ++j) {
        add(source->input(j), i, j);
      }
    } else {
      add(arguments[i], i, 0);
    }
  }
  return logged;
}

}  // namespace

absl::StatusOr<Value*> InsertLogger(ModelGraph& host,
                                    const LoggerOptions& options,
                                    const LoggerInfo& info, Value* value,
                                    Node* place) {
  NS_ASSIGN_OR_RETURN(const c10::IValue logger, options.logger(info));
  NS_ASSIGN_OR_RETURN(const std::string attribute,
                      AttachLogger(host, {logger, info}, /*arity=*/1));
  NS_ASSIGN_OR_RETURN(Value * tensor, FirstTensor(value, place));
  return CallLogger(host, attribute, {tensor}, place);
}

Node* PlaceOf(const MatchedSide& side) {
  return side.compared_in != nullptr ? *side.compared_in->nodes().begin()
                                     : PlaceAfter(*side.output);
}

LoggerInfo OutputInfo(const SubgraphMatch& match, const MatchedSide& side,
                      const std::string& model_name) {
  LoggerInfo info;
  info.layer = match.name;
  info.layer_in_model = side.name;
  info.type = kNodeOutputResult;
  info.model_name = model_name;
  info.fqn = side.fqn;
  if (side.subgraph.base != nullptr) {
    info.ref_node_name = NodeName(*side.subgraph.base);
    info.ref_node_target_type = std::string(OpName(*side.subgraph.base));
  } else {
    info.ref_node_name = ValueName(*side.output);
  }
  SetPrevious(*side.output, info);
  return info;
}

absl::Status InsertOutputLogger(ModelGraph& host, const LoggerOptions& options,
                                LoggerInfo info, const MatchedOutput& output,
                                const OutputTensor& tensor, Value* logged,
                                Node* place) {
  info.output_index = static_cast<int>(output.index);
  info.output_name = output.name;
  SetPrevious(*tensor.value, info);
  NS_ASSIGN_OR_RETURN(Value * value, TensorIn(logged, tensor.place, place));
  return InsertLogger(host, options, info, value, place).status();
}

absl::Status InsertInputLoggers(ModelGraph& host, const LoggerOptions& options,
                                LoggerInfo info, const Subgraph& subgraph,
                                const Subgraph& original, Node* place) {
  info.type = kNodeInputResult;
  const std::vector<LoggedInput> inputs = LoggedInputs(subgraph);
  const std::vector<LoggedInput> names = LoggedInputs(original);
  if (inputs.size() != names.size()) {
    return absl::InternalError(
        absl::StrCat("the copy of ", OpName(*original.start), " takes ",
                     inputs.size(), " tensors, not ", names.size()));
  }
  llvm::DenseMap<const Value*, Value*> logged_already;
  for (size_t i = 0; i < inputs.size(); ++i) {
    info.index_of_arg = inputs[i].index_of_arg;
    info.index_within_arg = inputs[i].index_within_arg;
    SetPrevious(*names[i].value, info);
    Value* value = inputs[i].value;
    if (options.compat) {
      const auto it = logged_already.find(value);
      if (it != logged_already.end() && IsTensor(*it->second)) {
        value = it->second;
        const Value* logger = value->node()->input(0);
        info.prev_node_name = logger->node()->s(c10::attr::name);
        info.prev_node_target_type =
            LoggerTypeName(*logger->type()->expect<c10::ClassType>());
      }
    }
    NS_ASSIGN_OR_RETURN(logged_already[inputs[i].value],
                        InsertLogger(host, options, info, value, place));
  }
  return absl::OkStatus();
}

}  // namespace ns
