// Which matched subgraphs feed which.
#ifndef PASSES_MATCHING_MATCH_PRODUCERS_H_
#define PASSES_MATCHING_MATCH_PRODUCERS_H_

#include <cstddef>
#include <vector>

#include "passes/matching/graph_matcher.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// For each match, in ascending order the matches whose outputs flow into its
// subgraph of B with no other matched subgraph in between. What an earlier trip
// of a loop hands to the next does not count. `graph` is that of B.
std::vector<std::vector<size_t>> ProducersOf(torch::jit::Graph& graph,
                                             const MatchResult& matches);

}  // namespace ns

#endif  // PASSES_MATCHING_MATCH_PRODUCERS_H_
