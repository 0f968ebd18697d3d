// Multiplies quantized values by a factor of their channel and adds an offset,
// as batch norms with known statistics do.
#ifndef PASSES_KERNELS_ELEMENTWISE_SCALE_CHANNELS_H_
#define PASSES_KERNELS_ELEMENTWISE_SCALE_CHANNELS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

struct ChannelScaling {
  int32_t zero_point = 0;
  // One of each for every channel, in steps of the output.
  absl::Span<const float> factors;
  absl::Span<const float> offsets;
  int32_t out_zero_point = 0;
  bool relu = false;
};

// Over [rows][channels] quantized values:
//
//   steps = fma(factor, q - zero_point, offset)
//   q     = QuantizeValue(steps, 1, out_zero_point)
//   q     = max(q, out_zero_point) if `relu`
//
// QuantizeValue (quantize_value.h) rounds to nearest, ties to even, and clips
// to 0 and 255; from 2^31 steps on, it may wrap. This is q_batch_norm_kernel of
// LibTorch 1.13, which does not wrap in its last few channels. `out` may be
// `quantized`.
void ScaleChannels(const uint8_t* quantized, int64_t rows,
                   const ChannelScaling& scaling, uint8_t* out,
                   Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_SCALE_CHANNELS_H_
