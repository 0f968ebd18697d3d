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

// A batch norm or an activation behind a base op.
struct Step {
  absl::string_view family;
  // Whether the step is part of the subgraph whatever the other model does: it
  // is fused into the base op, or belongs to the same fused module.
  bool is_inside = false;
  // The matchable node; -1 for an activation that is fused into an op.
  int node = -1;
  // The nodes that a subgraph takes in to reach this step from the one before:
  // casts and dropout, then the node itself. Empty for steps inside.
  absl::InlinedVector<torch::jit::Node*, 2> nodes;
};

// The steps in order of execution. Casts and dropout may stand in between.
using Steps = absl::InlinedVector<Step, 2>;

// Returns the steps that may be fused into the op of `base` or be folded into
// its weights: first those that its subgraph has already, from `base` to the
// matchable node `end`, then batch norms and one activation whose input nothing
// else uses.
Steps StepsBehind(const MatchableNodes& nodes, int base, int end);

// One side of a pair of base ops.
struct SideOfPair {
  const MatchableNodes& nodes;
  int base;
  const Steps& steps;
};

struct CommonEnd {
  // The number of steps that each subgraph has.
  size_t steps_a = 0;
  size_t steps_b = 0;
  // False where one side has fused something that the other does not compute
  // there, so that the two end at different places.
  bool is_same_place = true;
};

// Returns the end of the shortest subgraphs that compute the same. A step that
// both models have as an op of its own is left to be a pair of its own, and
// ends the search:
//
//   conv2d | batch_norm | relu     quantized::conv2d | quantized::batch_norm2d
//
// A step that only one model has still lets both end at the same place only if
//   - the other has fused it: an activation of the same family inside;
//   - it is a batch norm in front of all activations, which the other has
//   folded
//     into its weights. Of several, the first ones are folded, and none that
//     the other model has by the same module path;
//   - it is an activation that the quantized range of the other implies.
CommonEnd FindCommonEnd(const SideOfPair& a, const SideOfPair& b);

}  // namespace ns

#endif  // PASSES_MATCHING_COMMON_END_H_
