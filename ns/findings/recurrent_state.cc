#include "ns/findings/recurrent_state.h"

#include <cmath>
#include <string>

#include "absl/algorithm/container.h"

namespace ns {

std::vector<double> StepsOf(const ComparisonResult& result, size_t index) {
  const LayerComparison& layer = result.layers[index];
  if (layer.activation && !layer.activation->trip_sqnr_db.empty()) {
    return layer.activation->trip_sqnr_db;
  }
  const std::string& module = layer.quantized_side.fqn;
  std::vector<double> steps;
  if (module.empty() || layer.weights.empty()) {
    return steps;
  }
  for (const LayerComparison& call : result.layers) {
    if (call.quantized_side.fqn == module &&
        call.quantized_side.op == layer.quantized_side.op && call.activation) {
      steps.push_back(call.activation->error.sqnr_db);
    }
  }
  return steps.size() > 1 ? steps : std::vector<double>();
}

bool GrowsOverSteps(const ComparisonResult& result, size_t index) {
  constexpr size_t kFewest = 3;
  constexpr double kGrowsDb = 10;
  const std::vector<double> steps = StepsOf(result, index);
  if (steps.size() < kFewest) {
    return false;
  }
  const double fall = steps.front() - steps.back();
  return std::isfinite(fall) && fall >= kGrowsDb;
}

std::optional<size_t> WorstState(const ComparisonResult& result) {
  constexpr double kLowDb = 20;
  std::optional<size_t> worst;
  const bool is_well =
      !result.model_outputs.empty() &&
      absl::c_all_of(result.model_outputs,
                     [](const ModuleOutputComparison& output) {
                       return output.figures.error.sqnr_db >= kLowDb;
                     });
  if (is_well) {
    return worst;
  }
  double lowest = kLowDb;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    if (result.layers[i].unpaired_input.empty() && GrowsOverSteps(result, i) &&
        StepsOf(result, i).back() < lowest) {
      worst = i;
      lowest = StepsOf(result, i).back();
    }
  }
  return worst;
}

}  // namespace ns
