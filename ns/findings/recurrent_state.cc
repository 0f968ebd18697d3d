#include "ns/findings/recurrent_state.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "ns/findings/outputs_of_model.h"

namespace ns {
namespace {

// What all calls of a module have in common; empty for a layer without one.
std::pair<std::string, std::string> CallOf(const LayerComparison& layer) {
  return layer.weights.empty() ? std::pair<std::string, std::string>()
                               : std::make_pair(layer.quantized_side.fqn,
                                                layer.quantized_side.op);
}

bool Grows(const std::vector<double>& steps) {
  constexpr size_t kFewest = 3;
  constexpr double kGrowsDb = 10;
  if (steps.size() < kFewest) {
    return false;
  }
  const double fall = steps.front() - steps.back();
  return std::isfinite(fall) && fall >= kGrowsDb;
}

}  // namespace

std::vector<double> StepsOf(const ComparisonResult& result, size_t index) {
  const LayerComparison& layer = result.layers[index];
  if (layer.activation && !layer.activation->trip_sqnr_db.empty()) {
    return layer.activation->trip_sqnr_db;
  }
  std::vector<double> steps;
  if (CallOf(layer).first.empty()) {
    return steps;
  }
  for (const LayerComparison& call : result.layers) {
    if (CallOf(call) == CallOf(layer) && call.activation) {
      steps.push_back(call.activation->error.sqnr_db);
    }
  }
  return steps.size() > 1 ? steps : std::vector<double>();
}

bool GrowsOverSteps(const ComparisonResult& result, size_t index) {
  return Grows(StepsOf(result, index));
}

std::optional<size_t> WorstState(const ComparisonResult& result) {
  constexpr double kLowDb = 20;
  std::optional<size_t> worst;
  if (OutputsReach(result, kLowDb)) {
    return worst;
  }
  double lowest = kLowDb;
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> calls;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    calls[CallOf(result.layers[i])].push_back(i);
  }
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    const std::vector<size_t>& of_module = calls[CallOf(layer)];
    const bool has_trips =
        layer.activation && !layer.activation->trip_sqnr_db.empty();
    // All calls of a module have the same steps.
    const bool is_first_of_several =
        of_module.size() > 1 && of_module.front() == i;
    if (!layer.unpaired_input.empty() || !(has_trips || is_first_of_several)) {
      continue;
    }
    const std::vector<double> steps = StepsOf(result, i);
    if (Grows(steps) && steps.back() < lowest) {
      worst = i;
      lowest = steps.back();
    }
  }
  return worst;
}

}  // namespace ns
