#include "ns/search/recipe_runner.h"

#include <limits>
#include <utility>

#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ns/batches/batch.h"
#include "ns/batches/output_tensors.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/accurate/held_back_batches.h"
#include "ns/quantization/model/copy_for_target.h"
#include "ns/quantization/model/find_unbalanced_parts.h"
#include "passes/quantization/convert/layer_corrections.h"
#include "passes/quantization/observe/unbalanced_parts.h"

namespace ns {

absl::StatusOr<ModelGraph> RecipeRunner::PrepareByARun(
    const QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph prepared, PrepareModel(model_, options));
  NS_RETURN_IF_ERROR(CalibrateHoldingBack(prepared, batches_));
  ++float_passes_;
  return prepared;
}

absl::StatusOr<QuantizedModel> RecipeRunner::ModelOf(
    const RecipeChoices& choices, const std::set<std::string>& corrected) {
  QuantizeOptions options = space_.OptionsOf(choices);
  NS_ASSIGN_OR_RETURN(ModelGraph prepared, PrepareModel(model_, options));
  NS_ASSIGN_OR_RETURN(const bool is_filled,
                      values_.Fill(*options.mapping, prepared));
  if (!is_filled) {
    NS_ASSIGN_OR_RETURN(prepared, PrepareByARun(options));
  }
  NS_ASSIGN_OR_RETURN(UnbalancedParts parts,
                      FindUnbalancedParts(prepared, batches_));
  if (!parts.empty()) {
    // `values` has no observers of parts.
    options.parts.lost.merge(parts.lost);
    options.parts.own_ranges.merge(parts.own_ranges);
    NS_ASSIGN_OR_RETURN(prepared, PrepareByARun(options));
  }
  LayerCorrections corrections;
  corrections.corrects_bias = [&](const std::string& layer) {
    return corrected.count(layer) != 0;
  };
  return ConvertModel(prepared, options, corrections);
}

absl::StatusOr<MeasuredRecipe> RecipeRunner::Measure(
    const RecipeChoices& choices, const std::set<std::string>& corrected,
    int64_t first, MeasuredOutputs& measured,
    const std::function<void()>& after_batch) {
  NS_ASSIGN_OR_RETURN(QuantizedModel quantized, ModelOf(choices, corrected));
  MeasuredRecipe recipe{std::move(quantized), 0, {}, ""};
  NS_ASSIGN_OR_RETURN(ModelGraph lowered,
                      CopyForTarget(recipe.quantized.model, space_.options()));
  measured.Begin();
  for (int64_t i = first; i < batches_.size(); ++i) {
    NS_ASSIGN_OR_RETURN(const Batch batch, batches_.Read(i));
    NS_ASSIGN_OR_RETURN(const c10::IValue output,
                        RunBatch("quantized", lowered, batch, i));
    const absl::Status compared = Annotated(
        BatchName(batch, i), measured.Compare(i, FloatOutputs(output)));
    if (IsRefusal(compared)) {
      recipe.mismatch = std::string(compared.message());
    } else if (!compared.ok()) {
      return compared;
    }
    after_batch();
  }
  recipe.noise = recipe.mismatch.empty()
                     ? measured.noise()
                     : std::numeric_limits<double>::quiet_NaN();
  recipe.top1 = measured.top1();
  return recipe;
}

}  // namespace ns
