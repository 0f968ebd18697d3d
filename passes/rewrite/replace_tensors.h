// Replaces constant tensors in a part of a graph.
#ifndef PASSES_REWRITE_REPLACE_TENSORS_H_
#define PASSES_REWRITE_REPLACE_TENSORS_H_

#include <ATen/core/Tensor.h>

#include "absl/types/span.h"
#include "ir/model/model_graph.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

struct TensorReplacement {
  // The tensor itself, as at::Tensor::is_same has it: an equal one stays.
  at::Tensor before;
  at::Tensor after;
};

// Replaces tensors in the nodes from `first` to the one in front of `end`, all
// of one block of the graph of `host`, and in the blocks inside of them:
//
//   %weight = prim::Constant[value=<before>]()
//   %parameters = prim::Constant[value=[<before>, <bias>]]()
//   %attribute = prim::GetAttr[name="ns_copied_0"](%self)   # <before>
// becomes
//   %weight = prim::Constant[value=<after>]()
//   %parameters = prim::Constant[value=[<after>, <bias>]]()
//   %attribute = prim::GetAttr[name="ns_copied_0"](%self)   # <after>
//
// Constants are changed where they stand. An attribute is set in the module of
// `host`, and no other node may read it: those that CopySubgraph makes are read
// by the copy alone. Returns whether all of `replacements` were found; those
// that were are replaced in any case.
bool ReplaceTensors(ModelGraph& host, torch::jit::Node* first,
                    torch::jit::Node* end,
                    absl::Span<const TensorReplacement> replacements);

}  // namespace ns

#endif  // PASSES_REWRITE_REPLACE_TENSORS_H_
