#include "passes/runtime/observers/values/qparams.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns {
namespace {

float Steps(const QuantGrid& grid) {
  return static_cast<float>(grid.quant_max - grid.quant_min);
}

// (max - min) / steps. Where the difference is no float, the quotient is one.
float AffineScale(float min, float max, const QuantGrid& grid) {
  const float scale = (max - min) / Steps(grid);
  if (std::isinf(scale) && !grid.compat) {
    return max / Steps(grid) - min / Steps(grid);
  }
  return scale;
}

// What x86 makes of a float: numbers out of range, and nan, become the least
// integer.
int32_t WrappingInt32(float x) {
  const bool fits = x >= -0x1p31F && x < 0x1p31F;
  return fits ? static_cast<int32_t>(x) : std::numeric_limits<int32_t>::min();
}

int64_t AffineZeroPoint(float min, float scale, const QuantGrid& grid) {
  const float offset = std::nearbyint(min / scale);
  int64_t zero_point = 0;
  if (grid.compat) {
    zero_point =
        static_cast<int32_t>(static_cast<uint32_t>(grid.quant_min) -
                             static_cast<uint32_t>(WrappingInt32(offset)));
  } else {
    zero_point = grid.quant_min - static_cast<int64_t>(offset);
  }
  return std::clamp(zero_point, grid.quant_min, grid.quant_max);
}

}  // namespace

QParams ChooseQParams(float min, float max, const QuantGrid& grid) {
  min = std::min(min, 0.0F);
  max = std::max(max, 0.0F);
  QParams qparams;
  if (grid.symmetric_zero_point) {
    const float half = static_cast<float>(
        static_cast<double>(grid.quant_max - grid.quant_min) / 2);
    qparams.scale = std::max(std::max(-min, max) / half, grid.eps);
    qparams.zero_point = *grid.symmetric_zero_point;
    return qparams;
  }
  const float scale = std::max(AffineScale(min, max, grid), grid.eps);
  qparams.scale = scale;
  qparams.zero_point = AffineZeroPoint(min, scale, grid);
  return qparams;
}

QParams ChooseQParams(float min, float max, int64_t quant_min,
                      int64_t quant_max, bool symmetric) {
  QuantGrid grid;
  grid.quant_min = quant_min;
  grid.quant_max = quant_max;
  if (symmetric) {
    grid.symmetric_zero_point =
        quant_min < 0 ? 0 : (quant_min + quant_max + 1) / 2;
  }
  return ChooseQParams(min, max, grid);
}

FloatQParams ChooseFloatQParams(float min, float max, const QuantGrid& grid) {
  FloatQParams qparams;
  const float scale = AffineScale(min, max, grid);
  qparams.scale = scale > grid.eps ? scale : 1.0F;
  qparams.zero_point = -min / qparams.scale;
  return qparams;
}

}  // namespace ns
