#include "ns/findings/saturation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ns/result/comparison_result.h"

namespace ns {
namespace {

constexpr int64_t kCodes = 256;

// Returns a step, or more: the quantized values that occur are at least a step
// apart.
double EstimatedStep(const ValueRanges& ranges, const CodeUse& codes) {
  const int64_t gaps = kCodes - codes.unused - 1;
  return gaps > 0 ? (ranges.quantized_max - ranges.quantized_min) / gaps : 0;
}

// Returns a step that is no less than EstimatedStep() will be after more
// batches: there are at most 255 real steps, and quantized values that occur
// stay in use.
double LargestStep(const ValueRanges& ranges, const CodeUse& codes) {
  const int64_t gaps = kCodes - codes.unused - 1;
  return gaps > 0 ? EstimatedStep(ranges, codes) * (kCodes - 1) / gaps
                  : HUGE_VAL;
}

// The figures that tell of clipping.
const std::optional<ActivationComparison>& FiguresOf(
    const LayerComparison& layer) {
  return layer.shadow ? layer.shadow : layer.activation;
}

// `estimate` makes a step where the scale is not known.
Saturation SharesOf(const LayerComparison& layer,
                    double (*estimate)(const ValueRanges&,
                                       const CodeUse&) = EstimatedStep) {
  const std::optional<ActivationComparison>& figures = FiguresOf(layer);
  Saturation shares;
  if (!figures || !figures->codes || !figures->ranges ||
      figures->elements.value_or(0) <= 0) {
    return shares;
  }
  const ValueRanges& ranges = *figures->ranges;
  const auto elements = static_cast<double>(*figures->elements);
  const double step =
      layer.qparams ? layer.qparams->scale : estimate(ranges, *figures->codes);
  // Both comparisons are false for nan.
  if (ranges.float_min < ranges.quantized_min - step) {
    shares.at_lowest = figures->codes->at_lowest / elements;
  }
  if (ranges.float_max > ranges.quantized_max + step) {
    shares.at_highest = figures->codes->at_highest / elements;
  }
  return shares;
}

double Larger(const Saturation& shares) {
  return std::max(shares.at_lowest, shares.at_highest);
}

}  // namespace

std::optional<double> ClippedShare(const LayerComparison& layer) {
  const std::optional<ActivationComparison>& figures = FiguresOf(layer);
  if (!figures || !figures->codes || !figures->ranges ||
      figures->elements.value_or(0) <= 0) {
    return std::nullopt;
  }
  if (std::isnan(figures->ranges->float_min) ||
      std::isnan(figures->ranges->float_max)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const Saturation shares = SharesOf(layer);
  return shares.at_lowest + shares.at_highest;
}

double LastingClippedShare(const LayerComparison& layer) {
  const std::optional<double> share = ClippedShare(layer);
  if (!share || std::isnan(*share)) {
    return share.value_or(0);
  }
  const Saturation lasting = SharesOf(layer, LargestStep);
  return lasting.at_lowest + lasting.at_highest;
}

std::vector<Saturation> SaturatingLayers(const ComparisonResult& result) {
  std::vector<Saturation> saturating;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    Saturation shares = SharesOf(result.layers[i]);
    shares.layer = i;
    if (Larger(shares) > kSaturationLimit) {
      saturating.push_back(shares);
    }
  }
  std::stable_sort(saturating.begin(), saturating.end(),
                   [](const Saturation& a, const Saturation& b) {
                     return Larger(a) > Larger(b);
                   });
  return saturating;
}

}  // namespace ns
