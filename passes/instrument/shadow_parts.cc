#include "passes/instrument/shadow_parts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <utility>

#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "passes/instrument/quantized_weights.h"
#include "passes/instrument/variants/insert_variant.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/ops/op_table.h"
#include "passes/rewrite/tensor_in.h"

namespace ns {
namespace {

using ::torch::jit::Value;

// The argument of a dynamic quantized op that chooses how it rounds its input;
// null for other ops.
Value* ReduceRangeOf(torch::jit::Node& base) {
  const OpRow* row = FindOp(OpName(base));
  return row != nullptr && row->numerics == Numerics::kDynamic
             ? InputNamed(base, "reduce_range")
             : nullptr;
}

}  // namespace

absl::StatusOr<ShadowParts> InsertShadowParts(
    const ModelGraph& source, const SubgraphMatch& match,
    absl::Span<Value* const> inputs, ModelGraph& host, const Subgraph& shadowed,
    const ValueCounterparts& counterparts) {
  ShadowParts parts;
  // Returns the first output of the variant; null where it cannot be inserted.
  const auto insert =
      [&](const LayerVariant& variant) -> absl::StatusOr<Value*> {
    const absl::StatusOr<CopiedSubgraph> copy =
        InsertVariant(source, match.a.subgraph, *match.a.output, inputs, host,
                      shadowed.start, variant, counterparts);
    if (!copy.ok()) {
      return nullptr;
    }
    const auto& nodes = copy->subgraph.nodes;
    parts.nodes.insert(parts.nodes.end(), nodes.begin(), nodes.end());
    const OutputTensor output = MatchedOutputs(match).front().a;
    return TensorIn(copy->output->node()->output(output.value->offset()),
                    output.place, shadowed.start);
  };
  LayerVariant weight_only;
  if (auto weights = QuantizedWeights(match); weights.ok()) {
    weight_only.tensors = *std::move(weights);
  }
  if (!weight_only.tensors.empty()) {
    NS_ASSIGN_OR_RETURN(parts.weight_only, insert(weight_only));
  }
  Value* const reduce_range = ReduceRangeOf(*shadowed.base);
  if (reduce_range != nullptr && inputs.size() == 1) {
    LayerVariant activation_only;
    activation_only.inputs = {DynamicOpRounding{reduce_range}};
    NS_ASSIGN_OR_RETURN(parts.activation_only, insert(activation_only));
  }
  return parts;
}

}  // namespace ns
