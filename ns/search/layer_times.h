// Measures how long each layer of a model takes on this machine, in float and
// as each candidate.
#ifndef NS_SEARCH_LAYER_TIMES_H_
#define NS_SEARCH_LAYER_TIMES_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/search_space.h"
#include "passes/quantization/observe/observer_plan.h"

namespace ns {

// All times are microseconds for one batch, the least of several runs: what
// else the machine does only adds to them. Each run begins with the state that
// the model had.
struct LayerTimes {
  // Of each of SearchSpace::subgraphs().
  std::vector<double> in_float;
  // [candidate][subgraph], for each of SearchSpace::subgraphs(): its time in
  // the model in which all layers have the candidate. A subgraph that stays
  // float there has the time of its base op, in float. 0 where the op in front
  // of it computes it, too, as a relu.
  std::vector<std::vector<double>> in_int8;
  // The time of all ops of the float model that are in no subgraph.
  double other = 0;
  // The time of quantizing or dequantizing one element of a tensor.
  double quantize = 0;
  double dequantize = 0;
};

// Runs the float model and, for each candidate, the model in which all layers
// have it, several times on `batch`, and times their nodes: with ns kernels
// where the backend is fbgemm or x86 (CopyForTarget), and else with those of
// LibTorch. `values` must be calibrated. Error: a batch that does not fit; a
// candidate whose observers `values` cannot fill (CalibratedValues::Fill).
absl::StatusOr<LayerTimes> MeasureLayerTimes(const SearchSpace& space,
                                             const CalibratedValues& values,
                                             const Batch& batch);

// MeasureLayerTimes, or a stand-in for it.
using LayerTimer = std::function<absl::StatusOr<LayerTimes>(
    const SearchSpace& space, const CalibratedValues& values,
    const Batch& batch)>;

// Returns the time of SearchSpace::layers()[layer] with `choice`, one of its
// RecipeChoices, without quantizing and dequantizing around it.
double TimeOfLayer(const SearchSpace& space, const LayerTimes& times,
                   size_t layer, int choice);

// Returns the time that the model of `choices`, for which `plan` was made, is
// expected to take: that of its layers and other ops, and of quantizing and
// dequantizing where float and int8 meet.
double TimeOfRecipe(const SearchSpace& space, const CalibratedValues& values,
                    const LayerTimes& times, const RecipeChoices& choices,
                    const ObserverPlan& plan);

// Returns the least time of several runs of each of `models` on `batch`, in
// microseconds. The models take turns, and their state is afterwards what it
// was. Error: a batch that does not fit.
absl::StatusOr<std::vector<double>> TimeModels(
    const std::vector<ModelGraph*>& models, const Batch& batch);

}  // namespace ns

#endif  // NS_SEARCH_LAYER_TIMES_H_
