// Copies a subgraph of one model into another.
#ifndef PASSES_REWRITE_COPY_SUBGRAPH_H_
#define PASSES_REWRITE_COPY_SUBGRAPH_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Maps values of the source to values of the target that have the same shape.
// Graph inputs that are not tensors, and conditions (bool), are mapped to
// values that a copy uses in their place.
using ValueCounterparts =
    llvm::DenseMap<const torch::jit::Value*, torch::jit::Value*>;

// A copy of a subgraph.
struct CopiedSubgraph {
  // The copies of the nodes. `base` is inside `start` when it is so in the
  // original.
  Subgraph subgraph;
  // The copy of the value that was asked for.
  torch::jit::Value* output = nullptr;
};

// Copies `subgraph` of `source` into the graph of `target`, in front of
// `place`. `inputs` are values of the target that can be used at `place`; they
// take the place of DataInputsOf(subgraph), in order. `output` is the value of
// the source whose copy the caller wants, an output of subgraph.end.
//
//   %y = aten::conv2d(%x, %weight, %none, ...)        # source, inputs = {%d}
// becomes
//   %weight = prim::Constant[value=<Tensor>]()
//   %none = prim::Constant()
//   %y = aten::conv2d(%d, %weight, %none, ...)        # in the target
//
// What the nodes need besides data is copied, too: constants (tensors are
// shared), attributes of the source's module, under new names, and arithmetic
// on the shapes of `inputs` and `counterparts`. A subgraph that works in place
// gets copies of its inputs. Source and target may be the same model.
//
// Error: a refusal (ir/base/refusal.h) for an input that comes from elsewhere;
// the message says which. The target's graph is then unchanged.
absl::StatusOr<CopiedSubgraph> CopySubgraph(
    const ModelGraph& source, const Subgraph& subgraph,
    const torch::jit::Value& output,
    absl::Span<torch::jit::Value* const> inputs, ModelGraph& target,
    torch::jit::Node* place,
    const ValueCounterparts& counterparts = ValueCounterparts());

}  // namespace ns

#endif  // PASSES_REWRITE_COPY_SUBGRAPH_H_
