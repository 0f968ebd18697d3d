// Makes dropouts in place that do nothing harmless to other rewrites.
#ifndef PASSES_REWRITE_IDLE_DROPOUTS_H_
#define PASSES_REWRITE_IDLE_DROPOUTS_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces dropouts in place that never drop anything, as in evaluation, by
// their out-of-place forms. Both return their input as it is, but one in place
// counts as an op that writes to it:
//
//   %y = aten::dropout_(%x, %p, %false)
// becomes
//   %y = aten::dropout(%x, %p, %false)
//
// Returns whether there was one.
bool ReplaceIdleDropouts(torch::jit::Graph& graph);

}  // namespace ns

#endif  // PASSES_REWRITE_IDLE_DROPOUTS_H_
