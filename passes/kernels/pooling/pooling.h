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

// Writes to `out` the greatest quantized value that each output sees, 0 if it
// sees none. `out` is dense, [batch][out_size][channels], and may not overlap
// the input. `out_size` need not follow from the window: the caller chooses it,
// with ceil_mode or without.
void MaxPool(const PoolInput& input, const PoolWindow& window,
             const Dims& out_size, uint8_t* out, Parallel parallel);
void MaxPoolReference(const PoolInput& input, const PoolWindow& window,
                      const Dims& out_size, uint8_t* out);

// LibTorch rounds the averages of channels-last tensors in one way, and those
// of contiguous tensors in another. Its avg_pool3d has the first way only, as
// it copies other tensors to channels-last. Its avg_pool1d is avg_pool2d with a
// height of 1.
enum class AverageRule { kChannelsLast, kContiguous };

struct AverageSpec {
  float input_scale = 1;
  int32_t input_zero_point = 0;
  float output_scale = 1;
  int32_t output_zero_point = 0;
  AverageRule rule = AverageRule::kChannelsLast;
  // AdaptiveAveragePool does not read these two. `divisor` is LibTorch's
  // divisor_override, 0 when there is none.
  bool count_include_pad = true;
  int64_t divisor = 0;
};

// Writes to `out`, which is as in MaxPool, the average of what each output
// sees. It computes in float32, but for the sum (QuantizeValue is in
// passes/kernels/quantize_value.h):
//
//   acc     = sum over the inputs seen of (q - input_zero_point), in s32
//   divisor = spec.divisor, if it is not 0; else, with count_include_pad, how
//             many positions of the kernel are before size + padding; else
//             how many inputs are seen
//   kChannelsLast:
//     q    = QuantizeValue(acc, input_scale / output_scale / divisor,
//                          output_zero_point)
//   kContiguous:
//     m    = (double)input_scale / output_scale / divisor, rounded to float
//     q    = QuantizeValue(acc * m + output_zero_point, 1, 0)
//
// kChannelsLast is qavg_pool2d_nhwc of LibTorch 1.13 where that is vectorised,
// and kContiguous is avg_pool2d_out_frame. LibTorch computes the last
// channels % 8 channels of the former (% 16 with AVX512) by
// quantize_val(1 / m), which multiplies by 1 / (1 / m). For some divisors this
// is an ulp away from m, and ties may then round otherwise than here.
void AveragePool(const PoolInput& input, const PoolWindow& window,
                 const Dims& out_size, const AverageSpec& spec, uint8_t* out,
                 Parallel parallel);
void AveragePoolReference(const PoolInput& input, const PoolWindow& window,
                          const Dims& out_size, const AverageSpec& spec,
                          uint8_t* out);

// Does the same with windows that follow from the sizes. Output o of a
// dimension sees the inputs from floor(o * size / out_size) up to, and without,
// ceil((o + 1) * size / out_size), in float as LibTorch does. `acc` is as
// above; count, depth, height and width are those of the inputs seen.
//
//   kChannelsLast:
//     m    = input_scale / output_scale / count
//     q    = QuantizeValue(acc, 1 / (1 / m), output_zero_point)
//   kContiguous: both sides have the same scale and zero point
//     m    = (float)(1.0 / depth) / height / width
//     q    = QuantizeValue(sum of q, m, 0)
//
// kChannelsLast is qadaptive_avg_pool3d_ndhwc of LibTorch 1.13, for all
// channels, and kContiguous is adaptive_avg_pool_single_out_frame.
void AdaptiveAveragePool(const PoolInput& input, const Dims& out_size,
                         const AverageSpec& spec, uint8_t* out,
                         Parallel parallel);
void AdaptiveAveragePoolReference(const PoolInput& input, const Dims& out_size,
                                  const AverageSpec& spec, uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_POOLING_POOLING_H_
