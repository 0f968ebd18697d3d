#include "ns/n_shadows/insert_candidate.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/insert_method_call.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "ns/n_shadows/candidate_logger.h"
#include "ns/n_shadows/shadow_attributes.h"
#include "passes/instrument/logger_calls.h"
#include "passes/quantization/kernel_support.h"
#include "passes/quantization/quantize_weights.h"
#include "passes/rewrite/copy_subgraph.h"
#include "passes/rewrite/first_tensor.h"
#include "passes/runtime/observers/activation_quantizer.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

bool IsStatic(const ObserverConfig& config) {
  return ModeOf(config) == QuantizationMode::kStatic;
}

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
      next_quantizer_(next_quantizer),
      inputs_(DataInputsOf(subgraph.subgraph)),
      behind_(PlaceAfter(*subgraph.output)),
      input_quantizers_(inputs_.size()) {}

absl::StatusOr<Value*> CandidateInserter::Call(
    const std::string& object, const std::string& method,
    const std::vector<Value*>& arguments, Node* place) {
  return InsertMethodCall(model_, object, method, arguments, place);
}

// Candidates share the quantizers that are alike.
absl::StatusOr<std::string> CandidateInserter::QuantizerFor(
    const ObserverConfig& config, Quantizers& known, Value* observed,
    Node* place) {
  for (const auto& [known_config, name] : known) {
    if (known_config == config) {
      return name;
    }
  }
  NS_ASSIGN_OR_RETURN(const ActivationQuantizerPtr quantizer,
                      Annotated(absl::StrCat("activations of ", subgraph_.name),
                                MakeActivationQuantizer(config)));
  known.emplace_back(
      config, AttachQuantizer(model_.module(), next_quantizer_++, quantizer));
  const std::string& name = known.back().second;
  if (IsStatic(config)) {
    NS_RETURN_IF_ERROR(Call(name,
                            IsTensor(*observed) ? "observe" : "observe_list",
                            {observed}, place)
                           .status());
  }
  return name;
}

absl::Status CandidateInserter::LogFloat(const LoggerInfo& info) {
  NS_ASSIGN_OR_RETURN(reference_, FirstTensor(subgraph_.output, behind_));
  NS_ASSIGN_OR_RETURN(
      const std::string name,
      AttachLogger(model_, {MakeFloatLogger(), info}, /*arity=*/1));
  return CallLogger(model_, name, {reference_}, behind_).status();
}

// The copied subgraph in front of `place`, quantized; its output.
absl::StatusOr<Value*> CandidateInserter::CopyInto(Node* place,
                                                   const QConfig& qconfig) {
  const ObserverConfig& activation = qconfig.activation.config;
  const QuantizationMode mode = ModeOf(activation);
  Node* start = subgraph_.subgraph.start;
  std::vector<Value*> inputs = inputs_;
  std::string first_quantizer;
  for (size_t i = 0; mode != QuantizationMode::kFloat && i < inputs.size();
       ++i) {
    // Observed outside of the candidate, which does not run while the model is
    // calibrated.
    NS_ASSIGN_OR_RETURN(
        const std::string quantizer,
        QuantizerFor(activation, input_quantizers_[i], inputs_[i], start));
    if (i == 0) {
      first_quantizer = quantizer;
    }
    NS_ASSIGN_OR_RETURN(
        inputs[i],
        Call(quantizer, IsTensor(*inputs_[i]) ? "forward" : "forward_list",
             {inputs_[i]}, place));
  }
  NS_ASSIGN_OR_RETURN(
      CopiedSubgraph copy,
      CopySubgraph(model_, subgraph_.subgraph, *subgraph_.output, inputs,
                   model_, place, InputsInScope(*start)));
  NS_RETURN_IF_ERROR(QuantizeWeights(qconfig.weight, copy));
  NS_ASSIGN_OR_RETURN(Value * output, FirstTensor(copy.output, place));
  switch (mode) {
    case QuantizationMode::kFloat:
    case QuantizationMode::kDynamic:  // Results are in float.
      return output;
    case QuantizationMode::kStatic:
    case QuantizationMode::kHalf:
      break;
  }
  const bool keeps = IsStatic(activation) && !first_quantizer.empty() &&
                     KeepsQParams(subgraph_.family);
  std::string quantizer = first_quantizer;
  if (!keeps) {
    NS_ASSIGN_OR_RETURN(quantizer, QuantizerFor(activation, output_quantizers_,
                                                reference_, behind_));
  }
  return Call(quantizer, "forward", {output}, place);
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
  NS_ASSIGN_OR_RETURN(Value * is_enabled,
                      Call(name, "is_enabled", {}, candidate));
  candidate->addInput(is_enabled);
  return CallLogger(model_, name, {candidate->output(), reference_}, behind_)
      .status();
}

}  // namespace ns
