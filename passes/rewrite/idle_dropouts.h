// Rewrites dropouts that do nothing, of which other rewrites would assume that
// they write to their input, or make another tensor of it.
#ifndef PASSES_REWRITE_IDLE_DROPOUTS_H_
#define PASSES_REWRITE_IDLE_DROPOUTS_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces in-place dropouts whose argument `train` is constantly false by
// their out-of-place forms, also in the blocks of control flow. Both return
// their input as it is, but the one in place counts as an op that writes to it:
//
//   %y = aten::dropout_(%x, %p, %false)
// becomes
//   %y = aten::dropout(%x, %p, %false)
//
// Where an op writes to the output of such a dropout, in place or not, or to
// its input later, the dropout is removed and its input takes the place of the
// output: both are one tensor, and schemas do not say so.
//
// Returns whether the graph has changed.
bool ReplaceIdleDropouts(torch::jit::Graph& graph);

}  // namespace ns

#endif  // PASSES_REWRITE_IDLE_DROPOUTS_H_
