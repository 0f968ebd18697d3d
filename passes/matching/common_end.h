// Finds how far two matched subgraphs reach, so that both end at the same place
// of the computation.
#ifndef PASSES_MATCHING_COMMON_END_H_
#define PASSES_MATCHING_COMMON_END_H_

#include <cstddef>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "passes/matching/matchable_nodes.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// A batch norm or an activation behind a base op (Subgraph::base).
struct Step {
  // MatchableNode::family: "batch_norm", "relu".
  absl::string_view family;
  // Whether the step is part of the subgraph whatever the other model does: it
  // is fused into the base op, or belongs to the same fused module.
  bool is_inside = false;
  // Its index in MatchableNodes; -1 for an activation that is fused into an op.
  int node = -1;
  // The nodes that a subgraph takes in to reach this step from the one before:
  // casts and dropout, then the node itself. Empty for steps inside.
  absl::InlinedVector<torch::jit::Node*, 2> nodes;
};

// The steps in order of execution. Casts and dropout may stand in between.
using Steps = absl::InlinedVector<Step, 2>;

// Returns the steps that may be fused into the op of `base` or be folded into
// its weights. `base` and `end` are the indices in `nodes` of the first and the
// last op that the subgraph has already, and the steps between them come first:
// none for an op alone. Then come the batch norms after `end` and at most one
// activation that the base op may be fused with (FusesWith in
// passes/ops/fusion_patterns.h), and clamps (IsClamp in implied_activation.h)
// after any op, as long as each alone uses what the op before it gives.
Steps StepsBehind(const MatchableNodes& nodes, int base, int end);

// One side of a pair of base ops.
struct SideOfPair {
  const MatchableNodes& nodes;
  // The index of the base op, and its StepsBehind.
  int base;
  const Steps& steps;
  // Whether the node of an index in `nodes` is part of another subgraph; null
  // for none.
  const std::vector<bool>* taken = nullptr;
};

struct CommonEnd {
  // How many of its steps each subgraph takes in, with those inside.
  size_t steps_a = 0;
  size_t steps_b = 0;
  // False where one side has fused something that the other does not compute
  // there, so that the two end at different places; what they share is still
  // taken in.
  bool is_same_place = true;
};

// Returns the end of the shortest subgraphs that compute the same. Both take in
// steps as long as one side must, to match what the other has fused or folded.
// Where the next step is the same and is inside on one side at least, both take
// it in. Where both have it as an op of its own, the search ends: these two ops
// will be matched as another pair. Here neither side takes in a step, as both
// have a batch norm of their own ('|' is between ops):
//
//   conv2d | batch_norm | relu     quantized::conv2d | quantized::batch_norm2d
//
// But both take in a clamp of their own where the op before it has the range of
// the clamp's output (HasRangeOf): what that op computes can only be compared
// after the clamp. With a range of 0 to 5.1, both take in the relu, unless it
// is part of another subgraph, or a quantize op comes in between:
//
//   layer_norm | relu              quantized::layer_norm | relu
//
// A step that only one side has as an op is taken in when
//   - the other side has fused it: its next step is an activation of the same
//     family that is inside; or
//   - it is a batch norm that the other side has folded into its weights. It is
//     taken for folded unless the other model has a batch norm of the same
//     module path. Where both sides have norms left, that decides, too, and if
//     it does not, the first ones of the side with more of them are taken as
//     folded by the other; or
//   - it is an activation that changes nothing in the other model, since the
//     range of its quantized values implies it.
// Otherwise the search ends.
CommonEnd FindCommonEnd(const SideOfPair& a, const SideOfPair& b);

}  // namespace ns

#endif  // PASSES_MATCHING_COMMON_END_H_
