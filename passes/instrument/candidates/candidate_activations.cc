#include "passes/instrument/candidates/candidate_activations.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "ir/model/insert_method_call.h"
#include "passes/quantization/qconfig/kernel_support.h"
#include "passes/runtime/observers/observer_options.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kQuantizerPrefix[] = "ns_quantizer_";

bool RoundsOutputs(const ObserverConfig& config) {
  const QuantizationMode mode = ModeOf(config);
  return mode == QuantizationMode::kStatic || mode == QuantizationMode::kHalf;
}

std::string AttachQuantizer(torch::jit::Module& module, int index,
                            const ActivationQuantizerPtr& quantizer) {
  std::string name = absl::StrCat(kQuantizerPrefix, index);
  const c10::IValue object(quantizer);
  module.register_attribute(name, object.type(), object);
  return name;
}

}  // namespace

CandidateActivations::CandidateActivations(ModelGraph& model,
                                           const FloatSubgraph& subgraph,
                                           int& next_quantizer)
    : model_(model), subgraph_(subgraph), next_quantizer_(next_quantizer) {}

absl::StatusOr<Rounding> CandidateActivations::QuantizerFor(
    const ObserverConfig& config, Quantizers& known, Value* observed,
    Node* place) {
  for (const auto& [known_config, name] : known) {
    if (known_config == config) {
      return MethodRounding{name};
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
  return MethodRounding{std::move(name)};
}

absl::StatusOr<Rounding> CandidateActivations::OfInput(
    const ObserverConfig& config, size_t index, Value* observed) {
  if (ModeOf(config) == QuantizationMode::kFloat) {
    return std::monostate();
  }
  return QuantizerFor(config, inputs_[index], observed,
                      subgraph_.subgraph.start);
}

absl::StatusOr<Rounding> CandidateActivations::OfOutput(
    const ObserverConfig& config, Value* observed) {
  if (!RoundsOutputs(config)) {
    return std::monostate();
  }
  const bool keeps = ModeOf(config) == QuantizationMode::kStatic &&
                     KeepsQParams(subgraph_.family) && !inputs_.empty();
  Quantizers& known = keeps ? inputs_.begin()->second : output_;
  // It may have been taken out of a tuple, behind the subgraph.
  return QuantizerFor(config, known, observed, PlaceAfter(*observed));
}

std::vector<ActivationQuantizerPtr> AttachedQuantizers(
    const torch::jit::Module& module) {
  std::vector<ActivationQuantizerPtr> quantizers;
  for (int i = 0; module.hasattr(absl::StrCat(kQuantizerPrefix, i)); ++i) {
    quantizers.push_back(module.attr(absl::StrCat(kQuantizerPrefix, i))
                             .toCustomClass<ActivationQuantizer>());
  }
  return quantizers;
}

}  // namespace ns
