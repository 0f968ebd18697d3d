// Implements the strict mode of MatchSubgraphs.
#ifndef PASSES_MATCHING_STRICT_MATCHER_H_
#define PASSES_MATCHING_STRICT_MATCHER_H_

#include "absl/status/statusor.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/matching/subgraph_pairs.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Walks back from the outputs of both graphs in step, through control flow as
// if its blocks were inline, and pairs the longest fusion that ends at one node
// with that at the other. Dropout and unmatchable ops are passed over. Two ops
// of one family that are both outside the op table count as a step, but not as
// a pair. The result refers to `nodes_a` and `nodes_b`, which are of the two
// graphs. Error: a pair that is not related, or one graph that ends before the
// other.
absl::StatusOr<SubgraphPairs> MatchInStep(torch::jit::Graph& graph_a,
                                          const MatchableNodes& nodes_a,
                                          torch::jit::Graph& graph_b,
                                          const MatchableNodes& nodes_b);

}  // namespace ns

#endif  // PASSES_MATCHING_STRICT_MATCHER_H_
