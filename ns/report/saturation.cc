#include "ns/report/saturation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ns/suite/comparison_result.h"

namespace ns {
namespace {

constexpr int64_t kCodes = 256;

// Returns a step, or more: the quantized values that occur are at least a step
// apart.
double Step(const ValueRanges& ranges, const CodeUse& codes) {
  const int64_t gaps = kCodes - codes.unused - 1;
  return gaps > 0 ? (ranges.quantized_max - ranges.quantized_min) / gaps : 0;
}

Saturation SharesOf(const ActivationComparison& figures) {
  Saturation shares;
  if (!figures.codes || !figures.ranges || figures.elements.value_or(0) <= 0) {
    return shares;
  }
  const ValueRanges& ranges = *figures.ranges;
  const auto elements = static_cast<double>(*figures.elements);
  const double step = Step(ranges, *figures.codes);
  // Both comparisons are false for nan.
  if (ranges.float_min < ranges.quantized_min - step) {
    shares.at_lowest = figures.codes->at_lowest / elements;
  }
  if (ranges.float_max > ranges.quantized_max + step) {
    shares.at_highest = figures.codes->at_highest / elements;
  }
  return shares;
}

double Larger(const Saturation& shares) {
  return std::max(shares.at_lowest, shares.at_highest);
}

}  // namespace

std::vector<Saturation> SaturatingLayers(const ComparisonResult& result) {
  std::vector<Saturation> saturating;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    const auto& figures = layer.shadow ? layer.shadow : layer.activation;
    Saturation shares = figures ? SharesOf(*figures) : Saturation();
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
