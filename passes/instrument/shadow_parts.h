// Computes beside a shadow what one part of the quantization does by itself.
#ifndef PASSES_INSTRUMENT_SHADOW_PARTS_H_
#define PASSES_INSTRUMENT_SHADOW_PARTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/subgraph.h"
#include "passes/matching/graph_matcher.h"
#include "passes/rewrite/copy_subgraph.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// The first outputs of more copies of A's subgraph, which are fed as the shadow
// is. Each differs from the shadow in one thing.
struct ShadowParts {
  // Has B's weights (QuantizedWeights). Null where A has no weights, or B the
  // same.
  torch::jit::Value* weight_only = nullptr;
  // Has its input quantized and dequantized as B's dynamic op quantizes it.
  // Null for all other ops: a static op gets inputs that are quantized already,
  // and rounds its output.
  torch::jit::Value* activation_only = nullptr;
  // The nodes of the copies.
  std::vector<torch::jit::Node*> nodes;
};

// Inserts the parts of `match` in front of `shadowed`, B's subgraph in the
// graph of `host`; the other arguments are those with which CopySubgraph makes
// the shadow. With the inputs {%float}:
//
//   %float = ns::as_float(%x)                   # there before
//   %weight_only = aten::linear(%float, <B's weight>, %bias)
//   %rounded = ns::quantize_dynamic(%float, %reduce_range)
//   %dequantized = ns::as_float(%rounded)
//   %activation_only = aten::linear(%dequantized, %weight, %bias)
//   %y = quantized::linear_dynamic(%x, %packed, %reduce_range)
//
// A part that cannot be made is null. Error: a fault of ours; what was inserted
// stays.
absl::StatusOr<ShadowParts> InsertShadowParts(
    const ModelGraph& source, const SubgraphMatch& match,
    absl::Span<torch::jit::Value* const> inputs, ModelGraph& host,
    const Subgraph& shadowed, const ValueCounterparts& counterparts);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_SHADOW_PARTS_H_
