// Searches for the fastest mix of float and int8 layers whose error is within a
// budget. Such a mix is called a recipe.
#ifndef NS_SEARCH_SEARCH_H_
#define NS_SEARCH_SEARCH_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/quantize_options.h"
#include "ns/search/layer_times.h"
#include "ns/search/search_result.h"

namespace ns {

struct SearchOptions {
  // As for `ns quantize`: static, without `compat` and `reference`. Its mapping
  // is what the candidate "default" stands for; its progress is not used.
  QuantizeOptions quantize;
  // The names of the ways to quantize a layer that are tried, besides float
  // (search_candidates.h); empty for "default" alone.
  std::vector<std::string> candidates;
  // The least SQNR in dB of each output. Not used with labels.
  double budget_db = 30;
  // The classes of the samples, a tensor of integers for each batch; empty for
  // none. The model then returns scores [samples, classes] first.
  std::vector<at::Tensor> labels;
  // With labels: how much of the top-1 accuracy may be lost, in points: 0.5 is
  // from 76.1 % to 75.6 %. A recipe is refused where it loses significantly
  // more (paired_test.h).
  double max_drop = 0.5;
  // How layers are timed, such as from a file of another machine's times; null
  // for MeasureLayerTimes.
  LayerTimer time_layers = nullptr;
  // What messages call the model and the labels: their files. Empty for none.
  std::string model_name;
  std::string labels_name;
  // Called with the work that is done, and with the most that there can be.
  std::function<void(int64_t done, int64_t total)> progress;
};

// Chooses for each layer of `model` float or a candidate, such that the model
// runs fast on this machine and its outputs keep the budget:
//
//  1. All observers that any recipe has see all batches (calibrated_values.h).
//  2. The last batches, at most kMeasuredBatches, run with gradients. These
//     predict the error of any recipe (noise_model.h).
//  3. Each layer is timed in float and as each candidate (layer_times.h).
//  4. The fastest recipe that is predicted to keep the budget is found
//     (recipe_solver.h), made into a model, and measured on the batches of 2
//     (recipe_runner.h). Where it misses the budget, or is better than needed,
//     predictions are corrected by what was measured, and 4 repeats, at most
//     kVerifications times in all (recipe_search.h). With labels, 4 begins with
//     the fastest recipe of all, measures on all batches, and goes on to
//     recipes with less error until one is not refused.
//  5. Recipes for other limits make a frontier. Where predictions were far off,
//     some of these are measured, too.
//
// SearchResult::quantized is the model that `ns quantize --qconfig` makes with
// SearchResult::mapping, except for biases: both may correct the biases of
// other layers, as the search decides that from the batches of 2.
//
// Errors: what PrepareModel, SearchCandidates and SearchSpace::Create refuse;
// no batches, one that does not fit, or only empty ones; a model that returns
// no float tensor; labels or layer times that do not fit. It is an out-of-range
// error (absl::IsOutOfRange) where no recipe with an int8 layer keeps the
// budget (the message has the best that was measured), and where no such recipe
// is faster than the float model.
absl::StatusOr<SearchResult> Search(const ModelGraph& model,
                                    const BatchReader& batches,
                                    const SearchOptions& options);

inline constexpr int64_t kMeasuredBatches = 16;

}  // namespace ns

#endif  // NS_SEARCH_SEARCH_H_
