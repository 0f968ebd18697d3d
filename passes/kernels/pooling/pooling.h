// Pools quantized values in channels-last tensors of 1, 2 and 3 dimensions.
#ifndef PASSES_KERNELS_POOLING_POOLING_H_
#define PASSES_KERNELS_POOLING_POOLING_H_

#include <cstdint>

#include "passes/kernels/conv_shape.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// Dense quantized values, [batch][depth][height][width][channels]. Sizes may be
// 0.
struct PoolInput {
  const uint8_t* quantized = nullptr;
  int64_t batch = 1;
  Dims size = {1, 1, 1};
  int64_t channels = 1;
};

// What an output sees: in each dimension, output o sees the inputs
// o * stride - padding + k * dilation, 0 <= k < kernel, that exist. Kernels,
// strides and dilations are at least 1, paddings not negative. Averages have no
// dilation: theirs is not read.
struct PoolWindow {
  Dims kernel = {1, 1, 1};
  Dims stride = {1, 1, 1};
  Dims padding = {0, 0, 0};
  Dims dilation = {1, 1, 1};
};

// The greatest quantized value that each output sees, 0 if it sees none. `out`
// is dense, [batch][out_size][channels]; any out_size is good, ceil_mode or
// not. It may not overlap the input.
void MaxPool(const PoolInput& input, const PoolWindow& window,
             const Dims& out_size, uint8_t* out, Parallel parallel);
void MaxPoolReference(const PoolInput& input, const PoolWindow& window,
                      const Dims& out_size, uint8_t* out);

// LibTorch rounds the averages of channels-last tensors in one way, of others
// in another. AveragePool of three dimensions knows but the first: LibTorch
// copies what is not channels-last. One dimension is two, of height 1, for it.
enum class AverageRule { kChannelsLast, kContiguous };

struct AverageSpec {
  float input_scale = 1;
  int32_t input_zero_point = 0;
  float output_scale = 1;
  int32_t output_zero_point = 0;
  AverageRule rule = AverageRule::kChannelsLast;
  // Not for adaptive pools. `divisor` is LibTorch's divisor_override, 0 when
  // there is none.
  bool count_include_pad = true;
  int64_t divisor = 0;
};

// Averages, in floats but for the sum:
//
//   acc     = sum over the inputs seen of (q - input_zero_point), in s32
//   divisor = spec.divisor, or how many inputs are seen, or, with
//             count_include_pad, how many of the kernel begin before
//             size + padding
//   kChannelsLast:
//     q    = QuantizeValue(acc, input_scale / output_scale / divisor,
//                          output_zero_point)
//   kContiguous:
//     m    = (double)input_scale / output_scale / divisor, rounded to float
//     q    = QuantizeValue(acc * m + output_zero_point, 1, 0)
//
// This is qavg_pool2d_nhwc of LibTorch 1.13 where it is vectorised, and
// avg_pool2d_out_frame. The last channels % 8 of the former (% 16 with AVX512)
// go through quantize_val(1 / m), which multiplies by 1 / (1 / m): an ulp away
// from m for some divisors, which can move ties.
void AveragePool(const PoolInput& input, const PoolWindow& window,
                 const Dims& out_size, const AverageSpec& spec, uint8_t* out,
                 Parallel parallel);
void AveragePoolReference(const PoolInput& input, const PoolWindow& window,
                          const Dims& out_size, const AverageSpec& spec,
                          uint8_t* out);

// Output o of a dimension sees the inputs from floor(o * size / out_size) up
// to, and without, ceil((o + 1) * size / out_size), in float as LibTorch does.
//
//   kChannelsLast:
//     m    = input_scale / output_scale / count
//     q    = QuantizeValue(acc, 1 / (1 / m), output_zero_point)
//   kContiguous: both sides have the same scale and zero point
//     m    = (float)(1.0 / depth) / height / width, of what is seen
//     q    = QuantizeValue(sum of q, m, 0)
//
// qadaptive_avg_pool3d_ndhwc of LibTorch 1.13, all channels, and
// adaptive_avg_pool_single_out_frame.
void AdaptiveAveragePool(const PoolInput& input, const Dims& out_size,
                         const AverageSpec& spec, uint8_t* out,
                         Parallel parallel);
void AdaptiveAveragePoolReference(const PoolInput& input, const Dims& out_size,
                                  const AverageSpec& spec, uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_POOLING_POOLING_H_
