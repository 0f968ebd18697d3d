// Finds which subgraphs of a graph feed which.
#ifndef PASSES_ANALYSIS_PLACE_SOURCES_H_
#define PASSES_ANALYSIS_PLACE_SOURCES_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "passes/analysis/subgraph.h"

namespace torch::jit {
struct Graph;
struct Value;
}  // namespace torch::jit

namespace ns {

// A subgraph whose sources are asked for, and the one of its outputs that is
// compared; null where nothing is.
struct Place {
  const Subgraph* subgraph = nullptr;
  const torch::jit::Value* compared = nullptr;
};

// The sources of what flows into a place with no other place in between.
struct PlaceSources {
  // The indices of the places that it comes from, in ascending order.
  std::vector<size_t> places;
  // False when some of it is not the value that is compared at its place, but
  // another output, an element of a list or tuple, what an op of no place
  // computes, an attribute that the model writes itself, such as a cache, or
  // what an earlier trip of a loop hands to the next.
  bool are_compared = true;
};

// Returns the sources of each of `places`, subgraphs of `graph`. Values are
// followed through ops that belong to no place, through control flow, lists and
// ops in place, also on views of them; not through numbers, such as sizes, and
// devices, which carry no data, nor through ops that take the shape of a tensor
// alone, as zeros_like does. What is written through one view does not count
// for another view that is there already. What an earlier trip of a loop hands
// to the next is not among the places. The graph is not changed.
std::vector<PlaceSources> SourcesOfPlaces(torch::jit::Graph& graph,
                                          absl::Span<const Place> places);

}  // namespace ns

#endif  // PASSES_ANALYSIS_PLACE_SOURCES_H_
