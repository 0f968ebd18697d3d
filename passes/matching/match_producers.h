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

// What flows into a matched subgraph of B with no other matched subgraph in
// between.
struct Producers {
  // The matches it comes from, in ascending order.
  std::vector<size_t> matches;
  // False when some of it is not what is compared at its match, but another
  // output, or an element of a list or tuple.
  bool are_compared = true;
};

// For each match. What an earlier trip of a loop hands to the next does not
// count. `graph` is that of B.
std::vector<Producers> ProducersOf(torch::jit::Graph& graph,
                                   const MatchResult& matches);

}  // namespace ns

#endif  // PASSES_MATCHING_MATCH_PRODUCERS_H_
