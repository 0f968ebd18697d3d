#include "passes/kernels/quantize_value.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns::kernels {

uint8_t QuantizeValue(float x, float multiplier, int32_t zero_point) {
  // The largest float below 2^31 that s32 holds.
  constexpr float kMost = 2147483520.0f;
  const float scaled = x * multiplier;
  const float clipped = scaled < kMost ? scaled : kMost;
  const int32_t rounded = clipped < -2147483648.0f
                              ? std::numeric_limits<int32_t>::min()
                              : static_cast<int32_t>(std::nearbyint(clipped));
  const auto quantized = static_cast<int32_t>(
      static_cast<uint32_t>(rounded) + static_cast<uint32_t>(zero_point));
  return static_cast<uint8_t>(std::min(std::max(quantized, 0), 255));
}

}  // namespace ns::kernels
