// Implements the aligned mode of MatchSubgraphs.
#ifndef PASSES_MATCHING_ALIGNED_MATCHER_H_
#define PASSES_MATCHING_ALIGNED_MATCHER_H_

#include <vector>

#include "passes/matching/matchable_nodes.h"
#include "passes/matching/subgraph_pairs.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Pairs the matchable nodes of two graphs, and extends the subgraphs on both
// sides over what the other side has fused. Never fails.
SubgraphPairs AlignGraphs(torch::jit::Graph& graph_a,
                          const MatchableNodes& nodes_a,
                          torch::jit::Graph& graph_b,
                          const MatchableNodes& nodes_b);

}  // namespace ns

#endif  // PASSES_MATCHING_ALIGNED_MATCHER_H_
