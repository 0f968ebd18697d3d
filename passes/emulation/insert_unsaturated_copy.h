// Computes beside a layer what it would give if no sum saturated in it.
#ifndef PASSES_EMULATION_INSERT_UNSATURATED_COPY_H_
#define PASSES_EMULATION_INSERT_UNSATURATED_COPY_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Puts a copy of `subgraph`, which is in the graph of `host`, in front of it,
// with the same inputs and a base op in which no sum saturates:
//
//   %y = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
// becomes
//   %exact : ns.FbgemmConv = prim::Constant[value=object]()
//   %copy = ns::fbgemm_conv2d(%x, %exact, %scale, %zero_point)
//   %y = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
//
// Returns the copy of `output`, a value of the subgraph; null where the base op
// is no layer that can saturate, or is inside control flow of the subgraph.
// Error: the reason why it cannot be copied; the graph is then as it was.
absl::StatusOr<torch::jit::Value*> InsertUnsaturatedCopy(
    ModelGraph& host, const Subgraph& subgraph,
    const torch::jit::Value& output);

}  // namespace ns

#endif  // PASSES_EMULATION_INSERT_UNSATURATED_COPY_H_
