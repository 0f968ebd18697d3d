#include "passes/logging/add_loggers.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ir/verifier.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

absl::Status CheckLogger(const c10::IValue& logger) {
  if (!logger.isObject()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a logger must be an object, and the factory made a ",
                     logger.tagKind()));
  }
  const c10::ClassTypePtr type = logger.toObject()->type();
  const torch::jit::Function* forward = type->findMethod("forward");
  if (forward == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("logger ", type->repr_str(), " has no method 'forward'"));
  }
  const auto& arguments = forward->getSchema().arguments();
  const bool takes_tensor =
      arguments.size() == 2 &&
      c10::TensorType::get()->isSubtypeOf(*arguments[1].type());
  if (!takes_tensor) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'forward' of logger ", type->repr_str(),
        " must take one Tensor; it is ", c10::toString(forward->getSchema())));
  }
  return absl::OkStatus();
}

// Adds loggers to one of the two models.
class LoggerInserter {
 public:
  LoggerInserter(const std::string& model_name, ModelGraph& model,
                 const LoggerOptions& options)
      : model_name_(model_name), model_(model), options_(options) {}

  absl::Status Insert(const SubgraphMatch& match, const MatchedSide& side) {
    LoggerInfo info = InfoOf(match, side);
    if (options_.should_log_inputs && side.subgraph.start != nullptr) {
      NS_RETURN_IF_ERROR(InsertForInputs(*side.subgraph.start, info));
    }
    info.type = kNodeOutputResult;
    SetPrevious(*side.output, info);
    return InsertAfterDefinition(side.output, std::move(info));
  }

 private:
  LoggerInfo InfoOf(const SubgraphMatch& match, const MatchedSide& side) const {
    LoggerInfo info;
    info.layer = match.name;
    info.model_name = model_name_;
    info.fqn = side.fqn;
    if (side.subgraph.base != nullptr) {
      info.ref_node_name = NodeName(*side.subgraph.base);
      info.ref_node_target_type = std::string(OpName(*side.subgraph.base));
    } else {
      info.ref_node_name = ValueName(*side.output);
    }
    return info;
  }

  static void SetPrevious(const Value& value, LoggerInfo& info) {
    info.prev_node_name = ValueName(value);
    info.prev_node_target_type = std::string(OpName(*value.node()));
  }

  absl::Status InsertForInputs(Node& node, LoggerInfo info) {
    info.type = kNodeInputResult;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      Value* argument = node.input(i);
      std::vector<Value*> elements = {argument};
      if (argument->node()->kind() == c10::prim::ListConstruct) {
        elements = argument->node()->inputs().vec();
      }
      for (size_t j = 0; j < elements.size(); ++j) {
        Value* value = elements[j];
        if (!IsTensor(*value) || ConstantOf(*value)) {
          continue;
        }
        info.index_of_arg = static_cast<int>(i);
        info.index_within_arg = static_cast<int>(j);
        SetPrevious(*value, info);
        NS_RETURN_IF_ERROR(InsertBefore(&node, value, info));
      }
    }
    return absl::OkStatus();
  }

  absl::Status InsertAfterDefinition(Value* value, LoggerInfo info) {
    Node* definition = value->node();
    Node* place = definition->kind() == c10::prim::Param
                      ? *definition->owningBlock()->nodes().begin()
                      : definition->next();
    return InsertBefore(place, value, std::move(info));
  }

  absl::Status InsertBefore(Node* place, Value* value, LoggerInfo info) {
    absl::StatusOr<c10::IValue> logger = options_.logger(info);
    NS_RETURN_IF_ERROR(logger.status());
    NS_RETURN_IF_ERROR(CheckLogger(*logger));
    return CatchTorchErrors("adding a logger", [&] {
      Graph& graph = model_.graph();
      const std::string attribute =
          AttachLogger(model_.module(), {*logger, std::move(info)});
      torch::jit::WithInsertPoint at(place);
      if (!IsTensor(*value)) {
        value = graph.insert(c10::aten::__getitem__, {value, 0});
      }
      Value* object = graph.insertGetAttr(graph.inputs()[0], attribute);
      Node* call = graph.insertNode(
          graph.create(c10::prim::CallMethod, {object, value}));
      call->s_(c10::attr::name, "forward");
      const auto& returns = object->type()
                                ->expect<c10::ClassType>()
                                ->getMethod("forward")
                                .getSchema()
                                .returns();
      call->output()->setType(returns.empty() ? c10::NoneType::get()
                                              : returns[0].type());
    });
  }

  const std::string& model_name_;
  ModelGraph& model_;
  const LoggerOptions& options_;
};

}  // namespace

absl::Status AddLoggers(const std::string& name_a, ModelGraph& a,
                        const std::string& name_b, ModelGraph& b,
                        const MatchResult& matches,
                        const LoggerOptions& options) {
  LoggerInserter inserter_a(name_a, a, options);
  LoggerInserter inserter_b(name_b, b, options);
  for (const SubgraphMatch& match : matches.matches) {
    NS_RETURN_IF_ERROR(inserter_a.Insert(match, match.a));
    NS_RETURN_IF_ERROR(inserter_b.Insert(match, match.b));
  }
  NS_RETURN_IF_ERROR(VerifyGraph(a.graph()));
  return VerifyGraph(b.graph());
}

}  // namespace ns
