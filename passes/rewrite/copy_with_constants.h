// Adds a copy of a layer that runs with other constants.
#ifndef PASSES_REWRITE_COPY_WITH_CONSTANTS_H_
#define PASSES_REWRITE_COPY_WITH_CONSTANTS_H_

#include <ATen/core/ivalue.h>

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// A new constant for one input of an op: number `index` of Node::inputs().
struct ConstantInput {
  size_t index = 0;
  c10::IValue value;
};

// Copies `subgraph`, which is in the graph of `host`. The copy stands in front
// of it and has the same data inputs. The base op of the copy gets the
// constants `inputs`:
//   %y = quantized::linear(%x, %packed, %scale, %zero_point)
// becomes, with {2, 0.5}
//   %other : float = prim::Constant[value=0.5]()
//   %copy = quantized::linear(%x, %packed, %other, %zero_point)
//   %y = quantized::linear(%x, %packed, %scale, %zero_point)
//
// Returns the copy of `output`, which is an output of subgraph.end. If the base
// op is inside a prim::If of the subgraph, copies nothing and returns null.
// Error: the reason why the subgraph cannot be copied. The graph is then
// unchanged.
absl::StatusOr<torch::jit::Value*> CopyWithConstants(
    ModelGraph& host, const Subgraph& subgraph, const torch::jit::Value& output,
    absl::Span<const ConstantInput> inputs);

}  // namespace ns

#endif  // PASSES_REWRITE_COPY_WITH_CONSTANTS_H_
