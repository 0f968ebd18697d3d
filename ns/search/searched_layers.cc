#include "ns/search/searched_layers.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace ns {

SearchedLayers DescribeLayers(const SearchSpace& space, const LayerTimes& times,
                              const NoiseModel& noise,
                              const RecipeChoices& choices, double recipe_us) {
  const ObserverPlan plan = space.PlanOf(choices);
  std::map<std::string, double> noises;
  double sum = 0;
  for (size_t i = 0; i < plan.layers.size(); ++i) {
    const double one = noise.NoiseOfLayer(plan, i);
    noises[plan.layers[i].name] = one;
    sum += one;
  }
  SearchedLayers searched;
  double listed_noise = 0;
  double listed_us = 0;
  for (size_t i = 0; i < space.layers().size(); ++i) {
    const SearchLayer& layer = space.layers()[i];
    const FloatSubgraph& subgraph = space.subgraphs()[layer.subgraph];
    SearchedLayer one;
    one.name = subgraph.name;
    one.op = subgraph.op;
    one.choice = space.NameOf(i, choices[i]);
    one.noise_share = sum == 0 ? 0 : noises[subgraph.name] / sum;
    one.time_us = TimeOfLayer(space, times, i, choices[i]);
    for (int choice = 0; choice <= static_cast<int>(layer.candidates.size());
         ++choice) {
      one.times_us.emplace_back(space.NameOf(i, choice),
                                TimeOfLayer(space, times, i, choice));
    }
    listed_noise += one.noise_share;
    listed_us += one.time_us;
    searched.layers.push_back(std::move(one));
  }
  searched.rest.noise_share = sum == 0 ? 0 : 1 - listed_noise;
  searched.rest.time_us = recipe_us - listed_us;
  return searched;
}

}  // namespace ns
