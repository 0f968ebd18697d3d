#include "ns/quantization/model/output_error.h"

#include <utility>

#include "absl/status/status.h"
#include "ns/eager/output_comparer.h"

namespace ns {

absl::StatusOr<OutputErrors> MeasureOutputErrors(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const BatchReader& batches,
    const std::function<void(int64_t done, int64_t total)>& progress) {
  OutputComparerOptions options;
  options.method = float_model.method();
  options.progress = progress;
  absl::StatusOr<OutputComparisons> comparisons = CompareOutputs(
      float_model.module(), quantized_model.module(), batches, options);
  OutputErrors errors;
  if (absl::IsNotFound(comparisons.status())) {
    errors.warnings.emplace_back(comparisons.status().message());
    return errors;
  }
  if (!comparisons.ok()) {
    return comparisons.status();
  }
  for (const ModuleOutputComparison& output : comparisons->outputs) {
    // Modules that stayed calls are compared, too. They have types; what the
    // models return has none.
    if (output.float_type.empty()) {
      errors.outputs.push_back({output.name, output.figures.error.sqnr_db,
                                output.holds_integers,
                                output.figures.channels});
    }
  }
  errors.warnings = std::move(comparisons->warnings);
  return errors;
}

}  // namespace ns
