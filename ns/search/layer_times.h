// How long each layer of a model takes on this machine, in float and as each
// candidate.
#ifndef NS_SEARCH_LAYER_TIMES_H_
#define NS_SEARCH_LAYER_TIMES_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/search_space.h"
#include "passes/quantization/observer_plan.h"

namespace ns {

// All times are microseconds for one batch, the least of several runs: what
// else the machine does only adds to them. Each run begins with the state that
// the model had.
struct LayerTimes {
  // Of each of SearchSpace::subgraphs().
  std::vector<double> in_float;
  // Of each candidate, of each of SearchSpace::subgraphs(); 0 where it does not
  // run in int8, or is a part of the op in front of it.
  std::vector<std::vector<double>> in_int8;
  // What is no layer, in the float model.
  double other = 0;
  // For an element of a value.
  double quantize = 0;
  double dequantize = 0;
};

// Runs the float model and, for each candidate, the model in which all layers
// have it, several times on `batch`, and times their nodes: with ns kernels
// where the backend is fbgemm or x86 (CopyForTarget), and else with those of
// LibTorch. `values` must be calibrated. Error: a batch that does not fit.
absl::StatusOr<LayerTimes> MeasureLayerTimes(const SearchSpace& space,
                                             const CalibratedValues& values,
                                             const Batch& batch);

// What does as MeasureLayerTimes.
using LayerTimer = std::function<absl::StatusOr<LayerTimes>(
    const SearchSpace& space, const CalibratedValues& values,
    const Batch& batch)>;

// The time of one layer with a choice, without what quantizing and dequantizing
// around it takes.
double TimeOfLayer(const SearchSpace& space, const LayerTimes& times,
                   size_t layer, int choice);

// What the model of `choices`, for which `plan` was made, is expected to take:
// its layers, and quantizing and dequantizing where float and int8 meet.
double TimeOfRecipe(const SearchSpace& space, const CalibratedValues& values,
                    const LayerTimes& times, const RecipeChoices& choices,
                    const ObserverPlan& plan);

// The least time of several runs of each of `models` on `batch`, which take
// turns. Their state is afterwards what it was.
absl::StatusOr<std::vector<double>> TimeModels(
    const std::vector<ModelGraph*>& models, const Batch& batch);

}  // namespace ns

#endif  // NS_SEARCH_LAYER_TIMES_H_
