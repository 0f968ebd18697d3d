// Lets the copies of inputs that a shadow overwrites overlap as the inputs do.
#ifndef PASSES_INSTRUMENT_OVERLAPPING_INPUTS_H_
#define PASSES_INSTRUMENT_OVERLAPPING_INPUTS_H_

#include <vector>

#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A subgraph that works in place gets a clone of each input (CopySubgraph in
// passes/rewrite/copy_subgraph.h). Where there are several, which may be views
// of one tensor, copies them together instead:
//
//   %c = aten::clone(%x, %none)
//   %d = aten::clone(%y, %none)
//   %z = aten::add_(%c, %d, %one)
// becomes
//   %inputs = prim::ListConstruct(%x, %y)
//   %copies = ns::copy_together(%inputs)
//   %c, %d = prim::ListUnpack(%copies)
//   %z = aten::add_(%c, %d, %one)
//
// `shadow` is the copied subgraph and `inputs` what it was fed with. All that
// was inserted for it stands behind `before`, which may be the param_node of
// the block.
void CopyInputsTogether(const std::vector<torch::jit::Value*>& inputs,
                        const Subgraph& shadow, torch::jit::Node* before);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_OVERLAPPING_INPUTS_H_
