#include "passes/kernels/elementwise/choose_qparams.h"

#include <algorithm>
#include <cmath>

namespace ns::kernels {
namespace {

// No scale is less: half precision could not hold it as a normal number.
constexpr float kLeastScale = 6.1e-5f;

// The zero point that maps `bound` to `quantized value`, before rounding, and
// how large the terms are that it is the difference of: the smaller, the more
// exact.
struct Candidate {
  double zero_point;
  double terms;
};

Candidate MapBound(double bound, int32_t quantized, double scale) {
  return {quantized - bound / scale,
          std::abs(quantized) + std::abs(bound / scale)};
}

// `Float` is what holds the scale until the zero point is chosen.
template <typename Float>
DoubleQParams Choose(float min, float max, bool reduce_range) {
  const int32_t greatest = reduce_range ? 127 : 255;
  min = std::min(min, 0.0f);
  max = std::max(max, 0.0f);
  auto scale = static_cast<Float>((static_cast<double>(max) - min) / greatest);
  const auto rounded = static_cast<float>(scale);
  if (rounded == 0 || std::isinf(1.0f / rounded)) {
    scale = static_cast<Float>(0.1);
  }
  if (scale < kLeastScale) {
    const float factor = kLeastScale / static_cast<float>(scale);
    scale = kLeastScale;
    if (min == 0) {
      max = kLeastScale * static_cast<float>(greatest);
    } else if (max == 0) {
      min = -kLeastScale * static_cast<float>(greatest);
    } else {
      min *= factor;
      max *= factor;
    }
  }
  const Candidate by_min = MapBound(min, 0, scale);
  const Candidate by_max = MapBound(max, greatest, scale);
  const double zero_point =
      by_min.terms < by_max.terms ? by_min.zero_point : by_max.zero_point;
  if (std::isnan(zero_point)) {
    return {scale, 0};
  }
  return {scale, static_cast<int32_t>(std::nearbyint(std::clamp(
                     zero_point, 0.0, static_cast<double>(greatest))))};
}

}  // namespace

QParams ChooseQuantizationParams(float min, float max, bool reduce_range) {
  const DoubleQParams chosen = Choose<float>(min, max, reduce_range);
  return {static_cast<float>(chosen.scale), chosen.zero_point};
}

DoubleQParams ChooseQuantizationParamsInDouble(float min, float max,
                                               bool reduce_range) {
  return Choose<double>(min, max, reduce_range);
}

}  // namespace ns::kernels
