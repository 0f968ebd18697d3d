#include "ns/n_shadows/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ns/batches/batch.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/run_batches.h"
#include "ns/n_shadows/float_layers.h"
#include "ns/n_shadows/qconfig_multi_mapping.h"
#include "ns/quantization/model/refused_inputs.h"
#include "ns/suite/non_finite_inputs.h"
#include "passes/instrument/logger_switches.h"

namespace ns {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool HasRun(const CandidateResult& candidate) {
  return !candidate.call_sqnr_db.empty();
}

// Absent for a candidate that says nothing: without values, or with infinities
// among them.
std::optional<double> SqnrOf(const CandidateResult& candidate) {
  const double sqnr = candidate.pooled.SqnrDb();
  return std::isnan(sqnr) ? std::nullopt : std::make_optional(sqnr);
}

// The largest SQNR that an integer candidate of `layer` reaches; absent where
// there is none.
std::optional<double> BestInteger(const Sensitivity& sensitivity,
                                  const ShadowedSubgraph& layer) {
  std::optional<double> best;
  for (const CandidateResult& candidate : layer.candidates) {
    const std::optional<double> sqnr = SqnrOf(candidate);
    if (sqnr &&
        !IsFloatCandidate(sensitivity.candidates[candidate.candidate])) {
      best = std::max(best.value_or(-kInfinity), *sqnr);
    }
  }
  return best;
}

// The largest SQNR that all layers reach when `count` may stay in float.
double SqnrAffordable(const Sensitivity& sensitivity, size_t count) {
  std::vector<double> best;
  for (const ShadowedSubgraph& layer : sensitivity.layers) {
    if (const auto sqnr = BestInteger(sensitivity, layer)) {
      best.push_back(*sqnr);
    }
  }
  std::sort(best.begin(), best.end());
  return count < best.size() ? best[count] : kInfinity;
}

// The first candidate of `layer` among those that `is_allowed` that has at
// least `sqnr_db`.
std::optional<int> FirstGoodEnough(const ShadowedSubgraph& layer,
                                   double sqnr_db,
                                   const std::function<bool(int)>& is_allowed) {
  for (const CandidateResult& candidate : layer.candidates) {
    const std::optional<double> sqnr = SqnrOf(candidate);
    if (HasRun(candidate) && sqnr && *sqnr >= sqnr_db &&
        is_allowed(candidate.candidate)) {
      return candidate.candidate;
    }
  }
  return std::nullopt;
}

size_t IntegerLayers(const Sensitivity& sensitivity) {
  return std::count_if(sensitivity.layers.begin(), sensitivity.layers.end(),
                       [&](const ShadowedSubgraph& layer) {
                         return BestInteger(sensitivity, layer).has_value();
                       });
}

// What `ns quantize` would leave in float with each candidate that has int8
// activations. Nothing of other candidates, and where quantizing the model
// fails: it may be quantized in part.
std::vector<FloatLayerReasons> RefusedLayers(
    const ModelGraph& model, const std::vector<Batch>& batches,
    const std::vector<QConfig>& candidates) {
  std::vector<FloatLayerReasons> refused;
  for (const QConfig& candidate : candidates) {
    absl::StatusOr<FloatLayerReasons> reasons;
    switch (ModeOf(candidate.activation)) {
      case QuantizationMode::kStatic: {
        QConfigMapping mapping;
        mapping.SetGlobal(candidate);
        reasons = LayersLeftInFloat(model, batches, mapping);
        break;
      }
      case QuantizationMode::kDynamic:
        reasons = RefusedInputs(model, BatchReader::FromBatches(batches));
        break;
      default:
        reasons = FloatLayerReasons();
    }
    refused.push_back(reasons.ok() ? *std::move(reasons) : FloatLayerReasons());
  }
  return refused;
}

}  // namespace

bool IsFloatCandidate(const QConfig& qconfig) {
  return ModeOf(qconfig.weight) == QuantizationMode::kHalf ||
         ModeOf(qconfig.activation) == QuantizationMode::kHalf;
}

absl::StatusOr<Sensitivity> MeasureSensitivity(
    const ModelGraph& model, const std::vector<Batch>& batches,
    const SensitivityOptions& options) {
  if (batches.empty()) {
    return absl::InvalidArgumentError(
        "there are no batches; sensitivity needs at least one");
  }
  QConfigMultiMapping mapping;
  mapping.SetGlobal({options.candidates.begin(), options.candidates.end()});
  NShadowsOptions prepare;
  const std::string non_finite = NonFiniteWarning(
      model.module().get_method(model.method()).function().getSchema(),
      batches);
  // NaN among the inputs would be the reason of each layer that it reaches.
  const std::vector<FloatLayerReasons> refused =
      non_finite.empty()
          ? RefusedLayers(model, batches, options.candidates)
          : std::vector<FloatLayerReasons>(options.candidates.size());
  prepare.check = [&](const FloatSubgraph& layer, const QConfig& qconfig) {
    const auto candidate = absl::c_find(options.candidates, qconfig);
    if (candidate == options.candidates.end()) {
      return absl::OkStatus();
    }
    const FloatLayerReasons& reasons =
        refused[static_cast<size_t>(candidate - options.candidates.begin())];
    const auto found = reasons.find(layer.name);
    return found == reasons.end() ? absl::OkStatus() : Refusal(found->second);
  };
  NS_ASSIGN_OR_RETURN(NShadowsModel shadows,
                      PrepareNShadowsModel(model, mapping, prepare));
  const auto total = static_cast<int64_t>(2 * batches.size());
  int64_t done = 0;
  // Each pass has a copy, so that both begin with the buffers of the model;
  // observers and loggers are shared.
  const auto run = [&]() -> absl::Status {
    NS_ASSIGN_OR_RETURN(ModelGraph copy, shadows.model.Clone());
    return RunBatches("float", copy, batches, [&](size_t) {
      ++done;
      if (options.progress) {
        options.progress(done, total);
      }
    });
  };
  torch::jit::Module& module = shadows.model.module();
  Sensitivity sensitivity;
  if (!non_finite.empty()) {
    sensitivity.warnings.push_back(non_finite);
  }
  NS_RETURN_IF_ERROR(run());
  const absl::Status converted = ConvertNShadowsModel(module);
  if (absl::IsFailedPrecondition(converted)) {
    return absl::InvalidArgumentError(
        non_finite.empty()
            ? absl::StrCat(
                  BatchName(batches.front(), 0),
                  ": neither it nor what follows brings a value to a layer "
                  "that is to be quantized; give batches that are not empty, "
                  "and that reach one")
            : absl::StrCat("no finite value reaches a layer that is to be "
                           "quantized: ",
                           non_finite, "; give batches without"));
  }
  NS_RETURN_IF_ERROR(converted);
  NS_RETURN_IF_ERROR(LoggersSetEnabled(module, true));
  NS_RETURN_IF_ERROR(run());
  NS_ASSIGN_OR_RETURN(NShadowsResults results,
                      ExtractResultsNShadowsModel(module));
  for (const QConfigMapping& one : mapping.mappings()) {
    if (one.global()) {
      sensitivity.candidates.push_back(*one.global());
    }
  }
  sensitivity.batches = static_cast<int64_t>(batches.size());
  sensitivity.skipped = std::move(shadows.skipped);
  for (ShadowedSubgraph& layer : results.subgraphs) {
    if (std::any_of(layer.candidates.begin(), layer.candidates.end(), HasRun)) {
      sensitivity.layers.push_back(std::move(layer));
    } else if (!layer.candidates.empty()) {
      sensitivity.never_ran.push_back(layer.name);
    }
  }
  return sensitivity;
}

absl::StatusOr<Budget> ParseBudget(absl::string_view text) {
  absl::string_view number = text;
  Budget budget;
  if (absl::ConsumeSuffix(&number, "layers") ||
      absl::ConsumeSuffix(&number, "layer")) {
    budget.kind = Budget::Kind::kLayers;
  } else if (absl::ConsumeSuffix(&number, "%")) {
    budget.kind = Budget::Kind::kPercent;
  } else {
    absl::ConsumeSuffix(&number, "dB");
  }
  const bool is_number = absl::SimpleAtod(number, &budget.amount) &&
                         std::isfinite(budget.amount) && budget.amount >= 0;
  const bool is_share =
      budget.kind != Budget::Kind::kPercent || budget.amount <= 100;
  const bool is_count = budget.kind != Budget::Kind::kLayers ||
                        budget.amount == std::floor(budget.amount);
  if (!is_number || !is_share || !is_count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "budget '", text,
        "' is none; use a least SQNR as 30dB, or the layers that may stay in "
        "float as 3layers or 10%"));
  }
  return budget;
}

QuantizationPlan PlanQuantization(const Sensitivity& sensitivity,
                                  const Budget& budget) {
  QuantizationPlan plan;
  plan.sqnr_db = budget.amount;
  if (budget.kind != Budget::Kind::kSqnr) {
    const auto layers = static_cast<double>(IntegerLayers(sensitivity));
    const double count = budget.kind == Budget::Kind::kLayers
                             ? budget.amount
                             : std::floor(layers * budget.amount / 100);
    plan.sqnr_db = SqnrAffordable(
        sensitivity,
        static_cast<size_t>(count > 0 ? std::min(count, layers) : 0));
  }
  for (const ShadowedSubgraph& layer : sensitivity.layers) {
    std::optional<int> choice;
    // Layers that may stay in float are counted: half precision, which is
    // float, is then for those alone that no integer candidate is good for.
    if (budget.kind != Budget::Kind::kSqnr) {
      choice = FirstGoodEnough(layer, plan.sqnr_db, [&](int candidate) {
        return !IsFloatCandidate(sensitivity.candidates[candidate]);
      });
    }
    plan.choices.push_back(choice ? choice
                                  : FirstGoodEnough(layer, plan.sqnr_db,
                                                    [](int) { return true; }));
  }
  return plan;
}

std::string UseOf(const SensitivityReport& report, size_t index) {
  const std::optional<int> choice = report.plan->choices[index];
  return choice ? QConfigName(report.sensitivity.candidates[*choice]) : "float";
}

bool StaysInFloat(const SensitivityReport& report, size_t index) {
  const std::optional<int> choice = report.plan->choices[index];
  return !choice || IsFloatCandidate(report.sensitivity.candidates[*choice]);
}

}  // namespace ns
