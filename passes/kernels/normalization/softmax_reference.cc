#include <algorithm>
#include <cmath>

#include "passes/kernels/normalization/softmax.h"
#include "passes/kernels/quantize_value.h"

namespace ns::kernels {
namespace {

constexpr int64_t kSums = 32;

float Exponential(int32_t below, int32_t unit, float scale) {
  const double e = std::exp(-static_cast<double>(below) * unit * scale);
  return e < 0x1p-62 ? 0.0f : static_cast<float>(e);
}

}  // namespace

void SoftmaxReference(const uint8_t* input, int64_t rows, int64_t n,
                      float input_scale, QParams output, uint8_t* out) {
  for (int64_t row = 0; row < rows && n > 0; ++row, input += n, out += n) {
    const int32_t greatest = *std::max_element(input, input + n);
    const auto exponential = [&](int64_t i) {
      const int32_t below = greatest - input[i];
      return Exponential(below / 16, 16, input_scale) *
             Exponential(below % 16, 1, input_scale);
    };
    float sums[kSums] = {};
    for (int64_t i = 0; i < n; ++i) {
      sums[i % kSums] += exponential(i);
    }
    for (int64_t half = kSums / 2; half > 0; half /= 2) {
      for (int64_t i = 0; i < half; ++i) {
        sums[i] += sums[i + half];
      }
    }
    const float multiplier = 1.0f / (sums[0] * output.scale);
    for (int64_t i = 0; i < n; ++i) {
      out[i] = QuantizeValue(exponential(i), multiplier, output.zero_point);
    }
  }
}

}  // namespace ns::kernels
