#include "passes/instrument/candidates/insert_candidate.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "ir/model/insert_method_call.h"
#include "passes/instrument/logger_calls.h"
#include "passes/instrument/variants/insert_variant.h"
#include "passes/rewrite/copy_subgraph.h"
#include "passes/rewrite/first_tensor.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// The inputs of all blocks around `node`: a copy in front of it can use them as
// they are.
ValueCounterparts InputsInScope(const Node& node) {
  ValueCounterparts inputs;
  const Block* block = node.owningBlock();
  while (block != nullptr) {
    for (const Value* input : block->inputs()) {
      inputs[input] = const_cast<Value*>(input);
    }
    const Node* outer = block->owningNode();
    block = outer == nullptr ? nullptr : outer->owningBlock();
  }
  return inputs;
}

}  // namespace

CandidateInserter::CandidateInserter(ModelGraph& model,
                                     const FloatSubgraph& subgraph,
                                     int& next_quantizer)
    : model_(model),
      subgraph_(subgraph),
      behind_(PlaceAfter(*subgraph.output)),
      activations_(model, subgraph, next_quantizer) {}

absl::Status CandidateInserter::LogFloat(const c10::IValue& logger,
                                         const LoggerInfo& info) {
  NS_ASSIGN_OR_RETURN(reference_, FirstTensor(subgraph_.output, behind_));
  NS_ASSIGN_OR_RETURN(const std::string name,
                      AttachLogger(model_, {logger, info}, /*arity=*/1));
  return CallLogger(model_, name, {reference_}, behind_).status();
}

// The copied subgraph in front of `place`, quantized; its output.
absl::StatusOr<Value*> CandidateInserter::CopyInto(Node* place,
                                                   const QConfig& qconfig) {
  const ObserverConfig& activation = qconfig.activation.config;
  const Subgraph& layer = subgraph_.subgraph;
  LayerVariant variant;
  for (Value* input : DataInputsOf(layer)) {
    NS_ASSIGN_OR_RETURN(
        const Rounding rounding,
        activations_.OfInput(activation, variant.inputs.size(), input));
    variant.inputs.push_back(rounding);
  }
  variant.weights = qconfig.weight;
  NS_ASSIGN_OR_RETURN(const CopiedSubgraph copy,
                      InsertVariant(model_, layer, *subgraph_.output, place,
                                    variant, InputsInScope(*layer.start)));
  NS_ASSIGN_OR_RETURN(Value * output, FirstTensor(copy.output, place));
  NS_ASSIGN_OR_RETURN(const Rounding rounding,
                      activations_.OfOutput(activation, reference_));
  return InsertRounding(model_, rounding, output, place);
}

absl::Status CandidateInserter::Insert(const QConfig& qconfig,
                                       const c10::IValue& logger,
                                       const LoggerInfo& info) {
  Node* start = subgraph_.subgraph.start;
  Graph& graph = model_.graph();
  Node* candidate = graph.create(c10::prim::If, 1);
  candidate->output()->setType(c10::TensorType::get());
  candidate->insertBefore(start);
  Block* on = candidate->addBlock();
  Block* off = candidate->addBlock();
  const absl::StatusOr<Value*> output = CopyInto(on->return_node(), qconfig);
  if (!output.ok()) {
    candidate->destroy();
    return output.status();
  }
  on->registerOutput(*output);
  {
    torch::jit::WithInsertPoint at(off->return_node());
    off->registerOutput(graph.insertConstant(at::empty({0})));
  }
  NS_ASSIGN_OR_RETURN(const std::string name,
                      AttachLogger(model_, {logger, info}, /*arity=*/2));
  NS_ASSIGN_OR_RETURN(
      Value * is_enabled,
      InsertMethodCall(model_, name, "is_enabled", {}, candidate));
  candidate->addInput(is_enabled);
  return CallLogger(model_, name, {candidate->output(), reference_}, behind_)
      .status();
}

}  // namespace ns
