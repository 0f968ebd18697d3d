#include "tools/commands/quantize/quantize_within_budget.h"

#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_format.h"
#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/model/copy_for_target.h"
#include "ns/quantization/model/output_error.h"
#include "ns/search/search.h"
#include "ns/search/search_candidates.h"
#include "ns/search/search_result.h"
#include "ns/search/search_table.h"
#include "passes/quantization/layers/quantization_report.h"

namespace ns {
namespace {

SearchOptions OptionsOf(const QuantizeFlags& flags) {
  SearchOptions options;
  options.quantize = flags.options;
  // The search chooses by itself what the other methods would.
  options.quantize.methods = {};
  options.quantize.methods.bias_correction =
      NeedsInputMeans(flags.options.methods.bias_correction)
          ? BiasCorrection::kFast
          : BiasCorrection::kNone;
  options.budget_db = *flags.budget_db;
  options.model_name = flags.float_path;
  return options;
}

BudgetReport ReportOf(const SearchResult& result) {
  const VerifiedRecipe& chosen = result.verified[result.chosen];
  BudgetReport report;
  report.budget_db = *result.budget_db;
  report.predicted_db = chosen.predicted_db;
  report.measured_db = chosen.measured_db;
  report.batches = result.measured_batches;
  report.layers = static_cast<int64_t>(chosen.choices.size());
  report.int8_layers = report.layers - absl::c_count(chosen.choices, 0);
  report.time_us = result.measured_us;
  report.float_time_us = result.float_us;
  return report;
}

// Says of the layers that the search left in float that it did.
void NameTheSearch(const SearchResult& result, QuantizationReport& report) {
  std::set<std::string> in_float;
  for (const SearchedLayer& layer : result.layers) {
    if (layer.choice == kFloatChoice) {
      in_float.insert(layer.name);
    }
  }
  for (FloatLayer& layer : report.stayed_float) {
    if (in_float.count(layer.name) != 0) {
      layer.reason = absl::StrFormat(
          "float in the fastest recipe found for %g dB", *result.budget_db);
    }
  }
}

}  // namespace

absl::StatusOr<QuantizeSummary> QuantizeWithinBudget(
    const QuantizeFlags& flags, const BatchReader& batches,
    const std::function<void(int64_t done, int64_t total)>& progress,
    QConfigMapping& mapping, std::vector<FileToWrite>& files) {
  NS_ASSIGN_OR_RETURN(const ModelGraph float_model,
                      ModelGraph::FromFile(flags.float_path, flags.model));
  SearchOptions options = OptionsOf(flags);
  options.progress = progress;
  NS_ASSIGN_OR_RETURN(SearchResult result,
                      Search(float_model, batches, options));
  QuantizeSummary summary;
  summary.budget = ReportOf(result);
  mapping = result.mapping;
  summary.report = std::move(result.quantized->report);
  NameTheSearch(result, summary.report);
  if (!flags.options.mapping) {
    // Those of the defaults are not the user's.
    summary.report.unused_rules.clear();
  }
  NS_ASSIGN_OR_RETURN(const ModelGraph copy,
                      CopyForTarget(result.quantized->model, options.quantize));
  NS_ASSIGN_OR_RETURN(OutputErrors errors,
                      MeasureOutputErrors(float_model, copy, batches));
  summary.outputs = std::move(errors.outputs);
  std::vector<std::string>& warnings = summary.report.warnings;
  absl::c_copy(SearchWarnings(result), std::back_inserter(warnings));
  absl::c_copy(errors.warnings, std::back_inserter(warnings));
  files.push_back(ModelFile(std::move(result.quantized->model), flags.out_path,
                            flags.origin));
  return summary;
}

}  // namespace ns
