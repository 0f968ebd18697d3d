#include "ns/n_shadows/candidate_activations.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "ir/model/insert_method_call.h"
#include "ns/n_shadows/shadow_attributes.h"
#include "passes/quantization/qconfig/kernel_support.h"
#include "passes/runtime/observers/activation_quantizer.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool RoundsOutputs(const ObserverConfig& config) {
  switch (ModeOf(config)) {
    case QuantizationMode::kFloat:
    case QuantizationMode::kDynamic:
      return false;
    case QuantizationMode::kStatic:
    case QuantizationMode::kHalf:
      return true;
  }
}

}  // namespace

CandidateActivations::CandidateActivations(ModelGraph& model,
                                           const FloatSubgraph& subgraph,
                                           int& next_quantizer)
    : model_(model), subgraph_(subgraph), next_quantizer_(next_quantizer) {}

absl::StatusOr<std::string> CandidateActivations::QuantizerFor(
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
  std::string name =
      AttachQuantizer(model_.module(), next_quantizer_++, quantizer);
  known.emplace_back(config, name);
  if (ModeOf(config) == QuantizationMode::kStatic) {
    NS_RETURN_IF_ERROR(
        InsertMethodCall(model_, name,
                         IsTensor(*observed) ? "observe" : "observe_list",
                         {observed}, place)
            .status());
  }
  return name;
}

absl::StatusOr<Value*> CandidateActivations::RoundInput(
    const ObserverConfig& config, size_t index, Value* observed, Value* value,
    Node* place) {
  if (ModeOf(config) == QuantizationMode::kFloat) {
    return value;
  }
  NS_ASSIGN_OR_RETURN(
      const std::string quantizer,
      QuantizerFor(config, inputs_[index], observed, subgraph_.subgraph.start));
  return InsertMethodCall(model_, quantizer,
                          IsTensor(*value) ? "forward" : "forward_list",
                          {value}, place);
}

absl::StatusOr<Value*> CandidateActivations::RoundOutput(
    const ObserverConfig& config, Value* observed, Value* output, Node* place) {
  if (!RoundsOutputs(config)) {
    return output;
  }
  const bool keeps = ModeOf(config) == QuantizationMode::kStatic &&
                     KeepsQParams(subgraph_.family) && !inputs_.empty();
  Quantizers& known = keeps ? inputs_.begin()->second : output_;
  // It may have been taken out of a tuple, behind the subgraph.
  NS_ASSIGN_OR_RETURN(
      const std::string quantizer,
      QuantizerFor(config, known, observed, PlaceAfter(*observed)));
  return InsertMethodCall(model_, quantizer, "forward", {output}, place);
}

}  // namespace ns
