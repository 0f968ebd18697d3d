#include "passes/matching/matches/match_producers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <utility>
#include <vector>

#include "passes/analysis/place_sources.h"

namespace ns {

std::vector<Producers> ProducersOf(torch::jit::Graph& graph,
                                   const MatchResult& matches) {
  std::vector<Place> places;
  places.reserve(matches.matches.size());
  for (const SubgraphMatch& match : matches.matches) {
    places.push_back({&match.b.subgraph, match.b.output});
  }
  std::vector<Producers> producers;
  producers.reserve(places.size());
  for (PlaceSources& sources : SourcesOfPlaces(graph, places)) {
    producers.push_back({std::move(sources.places), sources.are_compared});
  }
  return producers;
}

}  // namespace ns
