// Computes beside a layer what it would give with other constants.
#ifndef PASSES_REWRITE_COPY_WITH_CONSTANTS_H_
#define PASSES_REWRITE_COPY_WITH_CONSTANTS_H_

#include <ATen/core/ivalue.h>

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model_graph.h"
#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// A constant that an op gets as input number `index`.
struct ConstantInput {
  size_t index = 0;
  c10::IValue value;
};

// Puts a copy of `subgraph`, which is in the graph of `host`, in front of it,
// with the same data inputs, and gives its base op the constants `inputs`:
//
//   %y = quantized::linear(%x, %packed, %scale, %zero_point)
// becomes, with {2, 0.5}
//   %other : float = prim::Constant[value=0.5]()
//   %copy = quantized::linear(%x, %packed, %other, %zero_point)
//   %y = quantized::linear(%x, %packed, %scale, %zero_point)
//
// Returns the copy of `output`, a value of the subgraph; null where the base op
// is inside control flow of the subgraph. Error: the reason why it cannot be
// copied; the graph is then as it was.
absl::StatusOr<torch::jit::Value*> CopyWithConstants(
    ModelGraph& host, const Subgraph& subgraph, const torch::jit::Value& output,
    absl::Span<const ConstantInput> inputs);

}  // namespace ns

#endif  // PASSES_REWRITE_COPY_WITH_CONSTANTS_H_
