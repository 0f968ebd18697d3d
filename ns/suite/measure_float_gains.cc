#include "ns/suite/measure_float_gains.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "ir/base/status.h"
#include "ns/batches/batch.h"
#include "ns/batches/run_batches.h"
#include "ns/findings/output_shares.h"
#include "ns/findings/outputs_of_model.h"
#include "ns/suite/model_outputs.h"
#include "passes/instrument/replace_by_shadow.h"
#include "passes/matching/matches/copied_matches.h"

namespace ns {
namespace {

// The quantized model with one layer in float, and what it returned so far.
struct Trial {
  size_t layer;
  ModelGraph model;
  ModelOutputs outputs = {};
  bool has_failed = false;
};

// Returns the layers whose gain matters, the most important first.
std::vector<size_t> Candidates(const ComparisonResult& result) {
  if (SharesHold(result)) {
    return LayersByShare(result);
  }
  std::vector<size_t> layers;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (layer.shadow && std::isfinite(layer.shadow->error.sqnr_db) &&
        layer.unpaired_input.empty()) {
      layers.push_back(i);
    }
  }
  absl::c_stable_sort(layers, [&](size_t a, size_t b) {
    return result.layers[a].shadow->error.sqnr_db <
           result.layers[b].shadow->error.sqnr_db;
  });
  return layers;
}

absl::StatusOr<std::vector<Trial>> MakeTrials(const ModelGraph& float_model,
                                              const ModelGraph& quantized_model,
                                              const MatchResult& matched,
                                              const OpIoTypes& io_types,
                                              const ComparisonResult& result) {
  std::vector<Trial> trials;
  for (const size_t layer : Candidates(result)) {
    if (trials.size() == kMostFloatGains) {
      break;
    }
    if (matched.matches[layer].is_quantize_point) {
      continue;
    }
    NS_ASSIGN_OR_RETURN(ModelGraph copy, quantized_model.Clone());
    const MatchResult matches = MatchesOfCopies(
        matched, float_model, float_model, quantized_model, copy);
    if (ReplaceByShadow(float_model, copy, matches, layer, io_types).ok()) {
      trials.push_back({layer, std::move(copy)});
    }
  }
  return trials;
}

void SetGain(const Trial& trial, const ModuleOutputComparison& before,
             ComparisonResult& result) {
  const std::vector<ModuleOutputComparison> outputs = trial.outputs.Figures();
  const ModuleOutputComparison* const after = FindOutput(outputs, before.name);
  if (after != nullptr && !std::isnan(after->figures.error.sqnr_db)) {
    result.layers[trial.layer].in_float =
        FloatGain{before.name, before.figures.error.sqnr_db,
                  after->figures.error.sqnr_db};
  }
}

}  // namespace

absl::Status MeasureFloatGains(const ModelGraph& float_model,
                               const ModelGraph& quantized_model,
                               const MatchResult& matched,
                               const BatchReader& batches, int64_t count,
                               const OpIoTypes& io_types,
                               const std::function<void()>& after_batch,
                               ComparisonResult& result) {
  const ModuleOutputComparison* const before =
      LowestOutput(result.model_outputs);
  if (before == nullptr || !std::isfinite(before->figures.error.sqnr_db)) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(
      std::vector<Trial> trials,
      MakeTrials(float_model, quantized_model, matched, io_types, result));
  NS_ASSIGN_OR_RETURN(ModelGraph float_copy, float_model.Clone());
  for (int64_t i = 0; i < count && !trials.empty(); ++i) {
    NS_ASSIGN_OR_RETURN(const Batch batch, batches.Read(i));
    NS_ASSIGN_OR_RETURN(const c10::IValue of_float,
                        RunBatch("float", float_copy, batch, i));
    for (Trial& trial : trials) {
      if (trial.has_failed) {
        continue;
      }
      const auto outputs = RunBatch("quantized", trial.model, batch, i);
      if (outputs.ok()) {
        trial.outputs.Add(of_float, *outputs);
      }
      trial.has_failed = !outputs.ok();
    }
    if (after_batch) {
      after_batch();
    }
  }
  for (const Trial& trial : trials) {
    if (!trial.has_failed) {
      SetGain(trial, *before, result);
    }
  }
  return absl::OkStatus();
}

}  // namespace ns
