// What a recipe makes of each layer, for reports.
#ifndef NS_SEARCH_SEARCHED_LAYERS_H_
#define NS_SEARCH_SEARCHED_LAYERS_H_

#include <vector>

#include "ns/search/layer_times.h"
#include "ns/search/noise_model.h"
#include "ns/search/search_result.h"
#include "ns/search/search_space.h"

namespace ns {

struct SearchedLayers {
  // One for each of SearchSpace::layers().
  std::vector<SearchedLayer> layers;
  // Of all else.
  RestOfRecipe rest;
};

// The layers of the recipe `choices`, which is predicted to take `recipe_us`
// microseconds. Shares of noise add up to 1 with those of the rest, and so do
// the times to `recipe_us`.
SearchedLayers DescribeLayers(const SearchSpace& space, const LayerTimes& times,
                              const NoiseModel& noise,
                              const RecipeChoices& choices, double recipe_us);

}  // namespace ns

#endif  // NS_SEARCH_SEARCHED_LAYERS_H_
