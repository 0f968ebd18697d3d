// Codes times a factor and plus an offset of their channel: batch norms with
// statistics that are known.
#ifndef PASSES_LOWERING_KERNELS_ELEMENTWISE_SCALE_CHANNELS_H_
#define PASSES_LOWERING_KERNELS_ELEMENTWISE_SCALE_CHANNELS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "passes/lowering/kernels/parallel.h"

namespace ns::kernels {

struct ChannelScaling {
  int32_t zero_point = 0;
  // One of each for every channel, in steps of the output.
  absl::Span<const float> factors;
  absl::Span<const float> offsets;
  int32_t out_zero_point = 0;
  bool relu = false;
};

// Over [rows][channels] codes:
//
//   steps = fma(factor, code - zero_point, offset)
//   code  = clamp(round(steps) + out_zero_point, 0, 255)
//   code  = max(code, out_zero_point) if `relu`
//
// round is to nearest, ties to even. This is q_batch_norm_kernel of LibTorch
// 1.13. `out` may be `codes`.
void ScaleChannels(const uint8_t* codes, int64_t rows,
                   const ChannelScaling& scaling, uint8_t* out,
                   Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_LOWERING_KERNELS_ELEMENTWISE_SCALE_CHANNELS_H_
