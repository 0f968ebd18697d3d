#include "passes/runtime/observers/qparams.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns {

QParams ChooseQParams(float min, float max, int64_t quant_min,
                      int64_t quant_max, bool symmetric) {
  constexpr float kSmallestScale = std::numeric_limits<float>::epsilon();
  min = std::min(min, 0.0F);
  max = std::max(max, 0.0F);
  const auto steps = static_cast<float>(quant_max - quant_min);
  QParams qparams;
  if (symmetric) {
    const float scale = std::max(-min, max) / (steps / 2);
    qparams.scale = std::max(scale, kSmallestScale);
    qparams.zero_point = quant_min < 0 ? 0 : (quant_min + quant_max + 1) / 2;
    return qparams;
  }
  const float scale = std::max((max - min) / steps, kSmallestScale);
  qparams.scale = scale;
  qparams.zero_point =
      std::clamp(quant_min - static_cast<int64_t>(std::nearbyint(min / scale)),
                 quant_min, quant_max);
  return qparams;
}

}  // namespace ns
