#include "passes/instrument/candidates/insert_trial.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>

#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/instrument/variants/insert_variant.h"
#include "passes/quantization/layers/int8_form.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

TrialInserter::TrialInserter(ModelGraph& model,
                             const std::map<int64_t, Node*>& layers)
    : model_(model) {
  llvm::DenseMap<const Node*, int64_t> indices;
  for (const auto& [index, base] : layers) {
    indices[base] = index;
  }
  for (FloatSubgraph& subgraph :
       FindFloatSubgraphs(model.graph(), {}, FusingOps::kLibTorch)) {
    const auto found = indices.find(subgraph.subgraph.base);
    if (found != indices.end()) {
      subgraphs_.emplace(found->second, std::move(subgraph));
    }
  }
}

absl::Status TrialInserter::Insert(const LayerTrial& trial,
                                   AttachedComparer& comparer) {
  const auto found = subgraphs_.find(trial.layer);
  if (found == subgraphs_.end()) {
    return Refusal("it is no layer with a quantized weight");
  }
  const FloatSubgraph& layer = found->second;
  const std::vector<Value*> inputs = DataInputsOf(layer.subgraph);
  if (inputs.size() != 1) {
    return Refusal("it has several inputs");
  }
  Value* input = inputs[0];
  if (trial.input) {
    NS_ASSIGN_OR_RETURN(input, Rounded(input, *trial.input));
  }
  Node* const place = PlaceAfter(*layer.output);
  if (trial.of_input) {
    return comparer.Call(model_, "compare", {inputs[0], input}, place);
  }
  LayerVariant variant;
  if (trial.weight.defined()) {
    const int weight = PackedWeightInput(*layer.subgraph.base);
    variant.constants = {{static_cast<size_t>(weight), trial.weight,
                          trial.weight.is_quantized()}};
  }
  NS_ASSIGN_OR_RETURN(const CopiedSubgraph copy,
                      InsertVariant(model_, layer.subgraph, *layer.output,
                                    {input}, model_, place, variant));
  return comparer.Call(model_, "compare", {layer.output, copy.output}, place);
}

absl::StatusOr<Value*> TrialInserter::Rounded(Value* value,
                                              const GridRounding& rounding) {
  for (const RoundedValue& known : rounded_) {
    if (known.value == value && known.rounding == rounding) {
      return known.rounded;
    }
  }
  NS_ASSIGN_OR_RETURN(Value * rounded, InsertRounding(model_, rounding, value,
                                                      PlaceAfter(*value)));
  rounded_.push_back({value, rounding, rounded});
  return rounded;
}

}  // namespace ns
