// Makes the models of recipes, and measures them.
#ifndef NS_SEARCH_RECIPE_RUNNER_H_
#define NS_SEARCH_RECIPE_RUNNER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/accuracy/paired_counts.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/measured_outputs.h"
#include "ns/search/search_space.h"

namespace ns {

struct MeasuredRecipe {
  QuantizedModel quantized;
  // The power of the error over that of the outputs (MeasuredOutputs); nan
  // where the outputs cannot be compared.
  double noise = 0;
  PairedCounts top1;
  // Why the outputs cannot be compared; empty where they can.
  std::string mismatch;
};

class RecipeRunner {
 public:
  // `space` was made of `model`, and `values` are calibrated on `batches`. All
  // four must outlive the object.
  RecipeRunner(const ModelGraph& model, const BatchReader& batches,
               const SearchSpace& space, const CalibratedValues& values)
      : model_(model), batches_(batches), space_(space), values_(values) {}

  // Returns the model of `choices`, as `ns quantize` makes it, with corrected
  // biases in the layers that `corrected` names. Where `values` cannot tell
  // what its observers find, runs the float model on all batches; and once more
  // where inputs of a concatenation need ranges of their own, or the
  // concatenation stays in float (FindUnbalancedParts).
  absl::StatusOr<QuantizedModel> ModelOf(
      const RecipeChoices& choices, const std::set<std::string>& corrected);

  // Makes the model and runs it as on the target (CopyForTarget), on the
  // batches from number `first` on. `measured`, which has the outputs of the
  // float model, forgets earlier comparisons and compares. Calls `after_batch`
  // after each batch. Outputs that cannot be compared are no error, but a
  // mismatch. Error: those of ModelOf, a batch that cannot be read or that the
  // model fails on.
  absl::StatusOr<MeasuredRecipe> Measure(
      const RecipeChoices& choices, const std::set<std::string>& corrected,
      int64_t first, MeasuredOutputs& measured,
      const std::function<void()>& after_batch);

  // How often the float model had to run over all batches.
  int64_t float_passes() const { return float_passes_; }

 private:
  // Returns a prepared model, calibrated by running the float model.
  absl::StatusOr<ModelGraph> PrepareByARun(const QuantizeOptions& options);

  const ModelGraph& model_;
  const BatchReader& batches_;
  const SearchSpace& space_;
  const CalibratedValues& values_;
  int64_t float_passes_ = 0;
};

}  // namespace ns

#endif  // NS_SEARCH_RECIPE_RUNNER_H_
