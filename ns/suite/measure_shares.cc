#include "ns/suite/measure_shares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ns/batches/batch.h"
#include "ns/suite/pair_runner.h"
#include "passes/matching/matches/copied_matches.h"

namespace ns {
namespace {

// Returns the layers whose parts are measured, worst first.
std::vector<size_t> SuspectedLayers(const ComparisonResult& result) {
  std::vector<size_t> suspects;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (layer.unpaired_input.empty() && layer.shadow &&
        std::isfinite(layer.shadow->error.sqnr_db) &&
        layer.shadow->error.sqnr_db < kGoodLocalDb) {
      suspects.push_back(i);
    }
  }
  absl::c_stable_sort(suspects, [&](size_t a, size_t b) {
    return result.layers[a].shadow->error.sqnr_db <
           result.layers[b].shadow->error.sqnr_db;
  });
  suspects.resize(std::min(suspects.size(), kMostMeasuredLayers));
  return suspects;
}

// Returns the batch in which the local error of `layer` is largest. A layer
// that did not run in each batch does not tell which one that is.
int64_t WorstBatch(const LayerComparison& layer, int64_t batches) {
  const std::vector<double>& sqnr_db = layer.shadow->batch_sqnr_db;
  if (static_cast<int64_t>(sqnr_db.size()) != batches) {
    return 0;
  }
  const auto worst =
      absl::c_min_element(sqnr_db, [](double a, double b) { return a < b; });
  return worst - sqnr_db.begin();
}

double NoiseToSignal(double sqnr_db) { return std::pow(10, -sqnr_db / 10); }

// Returns the share of the error of a `shadow` that a part of it has.
std::optional<double> ShareOf(const std::optional<ErrorFigures>& part,
                              double nsr_of_shadow) {
  return part && !std::isnan(part->sqnr_db)
             ? std::make_optional(NoiseToSignal(part->sqnr_db) / nsr_of_shadow)
             : std::nullopt;
}

}  // namespace

absl::Status MeasureShares(const ModelGraph& float_model,
                           const ModelGraph& quantized_model,
                           const MatchResult& matched,
                           const BatchReader& batches,
                           const CompareOptions& options,
                           ComparisonResult& result) {
  const std::vector<size_t> suspects = SuspectedLayers(result);
  if (suspects.empty() || result.batches == 0) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const ModelGraph float_copy, float_model.Clone());
  NS_ASSIGN_OR_RETURN(const ModelGraph quantized_copy, quantized_model.Clone());
  MatchResult all = MatchesOfCopies(matched, float_model, float_copy,
                                    quantized_model, quantized_copy);
  // Shadows are inserted in the order of execution.
  std::vector<size_t> layers = suspects;
  absl::c_sort(layers);
  MatchResult matches;
  for (const size_t i : layers) {
    matches.matches.push_back(std::move(all.matches[i]));
  }
  CompareOptions parts;
  parts.activations = false;
  parts.shadows = true;
  parts.parts = true;
  parts.exact = options.exact;
  parts.io_types = options.io_types;
  NS_ASSIGN_OR_RETURN(
      PairRunner runner,
      PairRunner::Create(float_copy, quantized_copy, matches, parts));
  NS_ASSIGN_OR_RETURN(
      const Batch batch,
      batches.Read(WorstBatch(result.layers[suspects[0]], result.batches)));
  NS_RETURN_IF_ERROR(runner.Run(batch));
  for (size_t i = 0; i < layers.size(); ++i) {
    const LayerComparison measured = runner.FiguresOf(i);
    const std::optional<ActivationComparison>& shadow = measured.shadow;
    if (!shadow || !std::isfinite(shadow->error.sqnr_db)) {
      continue;
    }
    const double nsr = NoiseToSignal(shadow->error.sqnr_db);
    result.layers[layers[i]].measured_shares = {
        ShareOf(measured.weight_only, nsr),
        ShareOf(measured.activation_only, nsr)};
  }
  return absl::OkStatus();
}

}  // namespace ns
