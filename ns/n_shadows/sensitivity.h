// Finds how much each layer of a float model loses to each quantization
// candidate, and which layers to keep in float.
#ifndef NS_N_SHADOWS_SENSITIVITY_H_
#define NS_N_SHADOWS_SENSITIVITY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batches.h"
#include "ns/n_shadows/n_shadows_results.h"
#include "ns/n_shadows/prepare_n_shadows_model.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

struct SensitivityOptions {
  // In order of preference.
  std::vector<QConfig> candidates = NamedQConfigs();
  // Called with the number of runs done and that of all: two a batch.
  std::function<void(int64_t done, int64_t total)> progress;
};

struct Sensitivity {
  // The file of the model, for reports. MeasureSensitivity leaves it empty.
  std::string float_path;
  int64_t batches = 0;
  // Those of SensitivityOptions without duplicates. CandidateResult::candidate
  // is an index into it.
  std::vector<QConfig> candidates;
  // Layers with a candidate that ran, in order of execution.
  std::vector<ShadowedSubgraph> layers;
  std::vector<SkippedCandidate> skipped;
  // Layers with a candidate that no batch reached.
  std::vector<std::string> never_ran;
  // For the user's eyes: one line each.
  std::vector<std::string> warnings;
};

// Runs `model` on all batches to calibrate the candidates, and again to compare
// each with the layer it stands for, on the float model's own values: errors of
// other layers do not enter. Both passes begin with the buffers that `model`
// has, and leave them as they are. Error: no batches, or one that does not fit;
// where a static candidate has to find a scale, none that brings a finite value
// to its layer; a model that has candidates already; a candidate's observer
// that cannot be made.
absl::StatusOr<Sensitivity> MeasureSensitivity(
    const ModelGraph& model, const std::vector<Batch>& batches,
    const SensitivityOptions& options = {});

// How much may be lost.
struct Budget {
  enum class Kind {
    kSqnr,     // each quantized layer has at least `amount` dB
    kLayers,   // `amount` layers may stay in float
    kPercent,  // `amount` percent of them may, rounded down
  };
  Kind kind = Kind::kSqnr;
  double amount = 30;
};

// Reads "30" or "30dB", "3layers", "10%". Error: anything else, a negative
// amount, more than 100 percent, a fraction of a layer.
absl::StatusOr<Budget> ParseBudget(absl::string_view text);

// What becomes of the layers within a budget.
struct QuantizationPlan {
  // The least SQNR in dB that a candidate must have to be chosen. For kSqnr, it
  // is the amount of the budget. Otherwise, the layers with the worst integer
  // candidates are set aside, as many as may stay in float, and it is the
  // lowest SQNR of the best integer candidates of the others; infinity when
  // there are no others.
  double sqnr_db = 0;
  // One for each of Sensitivity::layers: its candidate, as an index into
  // Sensitivity::candidates. Absent for a layer that stays in float.
  std::vector<std::optional<int>> choices;
};

// Chooses for every layer the first candidate that has
// QuantizationPlan::sqnr_db or more. Half precision counts as float: for
// kLayers and kPercent, it is chosen only where no integer candidate has that
// SQNR. Layers for which no integer candidate has an SQNR (none ran, or there
// are nan or infinities among the values) are not counted among the layers.
QuantizationPlan PlanQuantization(const Sensitivity& sensitivity,
                                  const Budget& budget);

// True for candidates in half precision, which integer kernels cannot run.
bool IsFloatCandidate(const QConfig& qconfig);

// What is reported; `plan` where a budget was given.
struct SensitivityReport {
  Sensitivity sensitivity;
  std::optional<QuantizationPlan> plan;
};

// Needs a plan: the name of the candidate that the layer at `index` gets, or
// "float".
std::string UseOf(const SensitivityReport& report, size_t index);

// Needs a plan: true when that is float or half precision.
bool StaysInFloat(const SensitivityReport& report, size_t index);

}  // namespace ns

#endif  // NS_N_SHADOWS_SENSITIVITY_H_
