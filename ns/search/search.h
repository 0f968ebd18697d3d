// Searches the cheapest mixed-precision recipe that keeps a budget.
#ifndef NS_SEARCH_SEARCH_H_
#define NS_SEARCH_SEARCH_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/quantize_options.h"
#include "ns/search/layer_times.h"
#include "ns/search/search_result.h"

namespace ns {

struct SearchOptions {
  // As for `ns quantize`: static, without `compat` and `reference`. Its mapping
  // stands for the candidate "default"; its progress is not used.
  QuantizeOptions quantize;
  // Names of what a layer may have besides float (search_candidates.h); empty
  // for "default" alone.
  std::vector<std::string> candidates;
  // The least SQNR in dB of each output. Not used with labels.
  double budget_db = 30;
  // The classes of the samples, a tensor of integers for each batch; empty for
  // none. The model then returns scores [samples, classes] first.
  std::vector<at::Tensor> labels;
  // With labels: how many points (percent of the samples) of top-1 may be lost.
  // A recipe is refused where it loses significantly more (paired_test.h).
  double max_drop = 0.5;
  // How layers are timed, such as from a file of another machine's times; null
  // for MeasureLayerTimes.
  LayerTimer time_layers = nullptr;
  // What messages call the model and the labels: their files. Empty for none.
  std::string model_name;
  std::string labels_name;
  // Called with the work done and all that there may be.
  std::function<void(int64_t done, int64_t total)> progress;
};

// Chooses for each layer of `model` float or a candidate, such that the model
// runs fast on this machine and its outputs keep the budget:
//
//  1. All observers that any recipe has see all batches (calibrated_values.h).
//  2. The last batches, at most kMeasuredBatches, run with gradients, which
//     tells the noise of any recipe (noise_model.h).
//  3. Each layer is timed in float and as each candidate (layer_times.h).
//  4. The cheapest recipe within the budget is found (recipe_solver.h), made
//     into a model, and measured on the batches of 2, or, with labels, on all
//     (recipe_runner.h). Where it misses the budget, or is better than needed,
//     predictions are corrected by what was measured, and 4 repeats, at most
//     kVerifications times (recipe_search.h).
//
// The model is what `ns quantize --qconfig` makes with the mapping of the
// result, up to which biases are corrected: that is decided here by the batches
// of 2, not by runs of its own.
//
// Errors: what PrepareModel, SearchCandidates and SearchSpace::Create refuse;
// no batches, or one that does not fit; labels that do not fit. An out-of-range
// error (absl::IsOutOfRange) where no recipe with an int8 layer keeps the
// budget: its message has the best that was found; and where none is faster
// than the float model.
absl::StatusOr<SearchResult> Search(const ModelGraph& model,
                                    const BatchReader& batches,
                                    const SearchOptions& options);

inline constexpr int64_t kMeasuredBatches = 16;

}  // namespace ns

#endif  // NS_SEARCH_SEARCH_H_
