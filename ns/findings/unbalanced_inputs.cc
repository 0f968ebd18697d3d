#include "ns/findings/unbalanced_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "ns/findings/error_breakdown.h"
#include "ns/result/comparison_result.h"

namespace ns {
namespace {

bool Concatenates(const LayerComparison& layer) {
  return layer.family == "cat" || layer.family == "stack";
}

// Returns the width of the smallest range with 0 and all float values; 0 where
// they are not known.
double NeededWidth(const LayerComparison& layer) {
  if (!layer.activation || !layer.activation->ranges) {
    return 0;
  }
  const ValueRanges& ranges = *layer.activation->ranges;
  const double width =
      std::max(ranges.float_max, 0.0) - std::min(ranges.float_min, 0.0);
  return std::isfinite(width) ? width : 0;
}

// Returns mean(x^2) of the float values, from the share of the error that its
// mean has; absent where that is 0.
std::optional<double> PowerOf(const LayerComparison& layer) {
  const ErrorFigures& error = layer.activation->error;
  if (!(error.bias_share > 0) || !std::isfinite(error.sqnr_db)) {
    return std::nullopt;
  }
  const double noise = error.mean_error * error.mean_error / error.bias_share;
  return noise / NoiseToSignal(error.sqnr_db);
}

bool HaveSameScale(const LayerComparison& a, const LayerComparison& b) {
  return a.qparams && b.qparams && a.qparams->scale == b.qparams->scale;
}

// Returns the layer whose value `input` merely hands on, exactly: ops that move
// elements stand between what quantizes a value and what concatenates it.
size_t OriginOf(const ComparisonResult& result, size_t input) {
  const LayerComparison* layer = &result.layers[input];
  while (layer->producers.size() == 1 && layer->producers[0] < input &&
         layer->shadow && layer->shadow->error.sqnr_db == INFINITY) {
    input = layer->producers[0];
    layer = &result.layers[input];
  }
  return input;
}

// Returns the SQNR that the range of `layer` leaves to its input; absent where
// it is not known.
std::optional<double> LeftOf(const ComparisonResult& result,
                             const LayerComparison& layer, size_t input) {
  const LayerComparison& origin = result.layers[OriginOf(result, input)];
  if (HaveSameScale(layer, origin) && origin.shadow &&
      !std::isnan(origin.shadow->error.sqnr_db)) {
    return origin.shadow->error.sqnr_db;
  }
  const std::optional<double> power = PowerOf(result.layers[input]);
  const double noise = layer.qparams->scale * layer.qparams->scale / 12;
  return power ? std::make_optional(
                     std::max(0.0, 10 * std::log10(*power / noise)))
               : std::nullopt;
}

}  // namespace

std::optional<UnbalancedInput> WorstUnbalancedInput(
    const ComparisonResult& result) {
  std::optional<UnbalancedInput> worst;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (!Concatenates(layer) || !layer.qparams ||
        !layer.unpaired_input.empty()) {
      continue;
    }
    double widest = 0;
    for (const size_t input : layer.producers) {
      widest =
          std::max(widest, input < i ? NeededWidth(result.layers[input]) : 0);
    }
    for (const size_t input : layer.producers) {
      const double width = input < i ? NeededWidth(result.layers[input]) : 0;
      if (width <= 0 || widest < kUnbalancedRatio * width) {
        continue;
      }
      const std::optional<double> left = LeftOf(result, layer, input);
      if (left && *left < kLostInputDb && (!worst || *left < worst->sqnr_db)) {
        worst = UnbalancedInput{i, input, widest / width, *left};
      }
    }
  }
  return worst;
}

}  // namespace ns
