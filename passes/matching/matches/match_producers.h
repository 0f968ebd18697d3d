// Finds which matched subgraphs feed which.
#ifndef PASSES_MATCHING_MATCHES_MATCH_PRODUCERS_H_
#define PASSES_MATCHING_MATCHES_MATCH_PRODUCERS_H_

#include <cstddef>
#include <vector>

#include "passes/matching/graph_matcher.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// The sources of what flows into a matched subgraph of B with no other matched
// subgraph in between.
struct Producers {
  // The indices of the matches that it comes from, in ascending order.
  std::vector<size_t> matches;
  // False when some of it is not the value that is compared at its match, but
  // another output, an element of a list or tuple, what an unmatched op
  // computes, an attribute that the model writes itself, such as a cache, or
  // what an earlier trip of a loop hands to the next.
  bool are_compared = true;
};

// Returns the producers of each match. What an earlier trip of a loop hands to
// the next is not among them. `graph` is that of B.
std::vector<Producers> ProducersOf(torch::jit::Graph& graph,
                                   const MatchResult& matches);

}  // namespace ns

#endif  // PASSES_MATCHING_MATCHES_MATCH_PRODUCERS_H_
