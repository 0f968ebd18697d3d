#include "ns/search/noise_scale.h"

#include <algorithm>
#include <cmath>

#include "passes/runtime/noise/noise_rows.h"

namespace ns {
namespace {

// With this noise and more, nothing is known of the linear model.
constexpr double kMuchNoise = 0.25;
// A prediction that is farther from the truth is of a model that is not linear
// at all.
constexpr double kMostScale = 16;

bool IsUsable(double noise) { return std::isfinite(noise) && noise > 0; }

}  // namespace

NoiseScale::NoiseScale(double predicted, double measured) {
  if (!IsUsable(predicted) || !IsUsable(measured)) {
    return;
  }
  const double scale = measured / predicted;
  const bool is_near = scale > 1 / kMostScale && scale < kMostScale;
  if (!is_near && measured < kMuchNoise) {
    return;
  }
  if (scale >= 1) {
    factor_ = is_near ? scale : 1;
    return;
  }
  factor_ = std::pow(scale, std::max(0.0, 1 - measured / kMuchNoise));
  inverse_bound_ = std::max(0.0, 1 / measured - 1 / (factor_ * predicted));
}

double NoiseScale::Expected(double predicted) const {
  if (!(predicted < NoiseRows::kUnbounded)) {
    return predicted;
  }
  const double scaled = factor_ * predicted;
  return scaled / (1 + scaled * inverse_bound_);
}

}  // namespace ns
