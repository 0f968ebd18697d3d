#include <algorithm>
#include <cmath>

#include "passes/kernels/pooling/pooling.h"
#include "passes/kernels/quantize_value.h"

namespace ns::kernels {
namespace {

// Calls `write(n, o, channel, index of the output)` for each output.
template <typename Write>
void ForEachOutput(const PoolInput& input, const Dims& out_size, Write write) {
  int64_t index = 0;
  for (int64_t n = 0; n < input.batch; ++n) {
    for (int64_t d = 0; d < out_size[0]; ++d) {
      for (int64_t h = 0; h < out_size[1]; ++h) {
        for (int64_t w = 0; w < out_size[2]; ++w) {
          for (int64_t channel = 0; channel < input.channels; ++channel) {
            write(n, Dims{d, h, w}, channel, index++);
          }
        }
      }
    }
  }
}

int64_t ValueAt(const PoolInput& input, int64_t n, const Dims& at,
                int64_t channel) {
  const int64_t pixel =
      ((n * input.size[0] + at[0]) * input.size[1] + at[1]) * input.size[2] +
      at[2];
  return input.quantized[pixel * input.channels + channel];
}

// Calls `see(quantized)` for each input that output `o` sees.
template <typename See>
void ForEachSeen(const PoolInput& input, const PoolWindow& window, int64_t n,
                 const Dims& o, int64_t channel, See see) {
  Dims at;
  const auto exists = [&](int dim, int64_t k) {
    at[dim] = o[dim] * window.stride[dim] - window.padding[dim] +
              k * window.dilation[dim];
    return at[dim] >= 0 && at[dim] < input.size[dim];
  };
  for (int64_t d = 0; d < window.kernel[0]; ++d) {
    for (int64_t h = 0; h < window.kernel[1]; ++h) {
      for (int64_t w = 0; w < window.kernel[2]; ++w) {
        if (exists(0, d) && exists(1, h) && exists(2, w)) {
          see(ValueAt(input, n, at, channel));
        }
      }
    }
  }
}

uint8_t Average(int64_t sum, int64_t count, int64_t divisor,
                const AverageSpec& spec) {
  const auto acc = static_cast<float>(
      static_cast<int32_t>(sum - count * spec.input_zero_point));
  if (spec.rule == AverageRule::kChannelsLast) {
    const float multiplier =
        spec.input_scale / spec.output_scale / static_cast<float>(divisor);
    return QuantizeValue(acc, multiplier, spec.output_zero_point);
  }
  const auto multiplier =
      static_cast<float>(static_cast<double>(spec.input_scale) /
                         spec.output_scale / static_cast<double>(divisor));
  const float product = acc * multiplier;
  return QuantizeValue(product + static_cast<float>(spec.output_zero_point), 1,
                       0);
}

uint8_t AdaptiveAverage(int64_t sum, const Dims& seen,
                        const AverageSpec& spec) {
  if (spec.rule == AverageRule::kChannelsLast) {
    const int64_t count = seen[0] * seen[1] * seen[2];
    const float multiplier =
        spec.input_scale / spec.output_scale / static_cast<float>(count);
    return QuantizeValue(static_cast<float>(static_cast<int32_t>(
                             sum - count * spec.input_zero_point)),
                         1.0f / (1.0f / multiplier), spec.output_zero_point);
  }
  const float multiplier =
      static_cast<float>(1.0 / static_cast<double>(seen[0])) /
      static_cast<float>(seen[1]) / static_cast<float>(seen[2]);
  return QuantizeValue(static_cast<float>(sum), multiplier, 0);
}

}  // namespace

void MaxPoolReference(const PoolInput& input, const PoolWindow& window,
                      const Dims& out_size, uint8_t* out) {
  ForEachOutput(input, out_size,
                [&](int64_t n, const Dims& o, int64_t channel, int64_t index) {
                  int64_t greatest = 0;
                  ForEachSeen(input, window, n, o, channel,
                              [&](int64_t quantized) {
                                greatest = std::max(greatest, quantized);
                              });
                  out[index] = static_cast<uint8_t>(greatest);
                });
}

void AveragePoolReference(const PoolInput& input, const PoolWindow& window,
                          const Dims& out_size, const AverageSpec& spec,
                          uint8_t* out) {
  PoolWindow dense = window;
  dense.dilation = {1, 1, 1};
  ForEachOutput(
      input, out_size,
      [&](int64_t n, const Dims& o, int64_t channel, int64_t index) {
        int64_t sum = 0;
        int64_t count = 0;
        ForEachSeen(input, dense, n, o, channel, [&](int64_t quantized) {
          sum += quantized;
          ++count;
        });
        int64_t divisor = spec.divisor;
        if (divisor == 0 && !spec.count_include_pad) {
          divisor = count;
        } else if (divisor == 0) {
          divisor = 1;
          for (int dim = 0; dim < 3; ++dim) {
            const int64_t first = o[dim] * window.stride[dim];
            const int64_t end = input.size[dim] + 2 * window.padding[dim];
            divisor *=
                std::max<int64_t>(std::min(window.kernel[dim], end - first), 0);
          }
        }
        out[index] = Average(sum, count, divisor, spec);
      });
}

void AdaptiveAveragePoolReference(const PoolInput& input, const Dims& out_size,
                                  const AverageSpec& spec, uint8_t* out) {
  ForEachOutput(
      input, out_size,
      [&](int64_t n, const Dims& o, int64_t channel, int64_t index) {
        Dims first;
        Dims seen;
        for (int dim = 0; dim < 3; ++dim) {
          const auto size = static_cast<float>(out_size[dim]);
          // Above 2^24, floats may round out of the input.
          first[dim] = std::min(
              static_cast<int64_t>(std::floor(
                  static_cast<float>(o[dim] * input.size[dim]) / size)),
              input.size[dim]);
          const int64_t end = std::min(
              static_cast<int64_t>(std::ceil(
                  static_cast<float>((o[dim] + 1) * input.size[dim]) / size)),
              input.size[dim]);
          seen[dim] = std::max<int64_t>(end - first[dim], 0);
        }
        int64_t sum = 0;
        for (int64_t d = 0; d < seen[0]; ++d) {
          for (int64_t h = 0; h < seen[1]; ++h) {
            for (int64_t w = 0; w < seen[2]; ++w) {
              const Dims at = {first[0] + d, first[1] + h, first[2] + w};
              sum += ValueAt(input, n, at, channel);
            }
          }
        }
        out[index] = AdaptiveAverage(sum, seen, spec);
      });
}

}  // namespace ns::kernels
