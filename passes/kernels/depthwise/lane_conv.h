// Calls a kernel of lanes for all outputs of a convolution, in threads.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_CONV_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_CONV_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "passes/kernels/conv_shape.h"
#include "passes/kernels/depthwise/lane_blocks.h"
#include "passes/kernels/depthwise/lane_strip.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// A convolution with as many outputs as inputs, not transposed, whose 16
// channels of a lane need no other inputs.
struct LaneConv {
  const uint8_t* input;  // [batch][depth][height][width][channels]
  int64_t batch;
  Dims size;
  const ConvShape& shape;
  const OutputPlan& plan;
  void* out;

  absl::Span<const LaneBlock> blocks;
  absl::FunctionRef<LaneWeights(int64_t block)> weights;
  bool saturates;
  // How many rows of outputs, at most, the kernel computes together: more than
  // 1 only when windows of neighbours begin one row of inputs apart.
  int output_rows;
  // Rows of the window that the kernel reads, with padding.
  int64_t window_rows;
  // Bytes of scratch memory for a column of the window.
  int64_t column_bytes;
};

void ConvLanes(const LaneConv& conv, void (*kernel)(const LaneStrip& strip),
               Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_CONV_H_
