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

// Pairs the matchable nodes of `graph_a`, the float model, and `graph_b`, the
// quantized one, by the rules of MatchingMode::kAligned
// (passes/matching/graph_matcher.h). Then it extends each pair's subgraphs, so
// that a convolution and a relu on one side face the one op that the other side
// has fused them into. Nodes that find no partner stay unpaired: there are no
// errors. `nodes_a` and `nodes_b` are of these graphs and must outlive the
// result. The graphs are not changed.
SubgraphPairs AlignGraphs(torch::jit::Graph& graph_a,
                          const MatchableNodes& nodes_a,
                          torch::jit::Graph& graph_b,
                          const MatchableNodes& nodes_b);

}  // namespace ns

#endif  // PASSES_MATCHING_ALIGNED_MATCHER_H_
