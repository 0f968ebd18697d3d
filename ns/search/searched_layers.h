// Describes the layers of a recipe for reports: how each runs, and what it has
// of the noise and of the time.
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
  // What is in no layer with a choice.
  RestOfRecipe rest;
};

// Describes the recipe `choices`, one choice for each of space.layers().
// `times` and `noise` are of the same space, and `noise` has run a batch.
// `recipe_us` is the TimeOfRecipe (ns/search/layer_times.h) of these choices.
// The times of the layers and of the rest add up to it. The shares of noise add
// up to 1, or are all 0 where the recipe makes no noise.
SearchedLayers DescribeLayers(const SearchSpace& space, const LayerTimes& times,
                              const NoiseModel& noise,
                              const RecipeChoices& choices, double recipe_us);

}  // namespace ns

#endif  // NS_SEARCH_SEARCHED_LAYERS_H_
