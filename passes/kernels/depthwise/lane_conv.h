// Calls a kernel that works on lanes (lane_blocks.h) for all outputs of a
// convolution, in threads.
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

// A convolution that is not transposed and has as many output channels as input
// channels, where the 16 outputs of a lane are computed from the same 16 inputs
// alone.
struct LaneConv {
  const uint8_t* input;  // [batch][depth][height][width][channels]
  int64_t batch;
  Dims size;  // depth, height and width of `input`
  const ConvShape& shape;
  const OutputPlan& plan;
  void* out;  // [batch][ConvOutput(shape, size)][channels], of plan.type

  // MakeLaneBlocks of the channels, and the weights of blocks[block].
  absl::Span<const LaneBlock> blocks;
  absl::FunctionRef<LaneWeights(int64_t block)> weights;
  // As LaneStrip::saturates.
  bool saturates;
  // How many rows of outputs, at most, the kernel computes together: more than
  // 1 only when windows of neighbours begin one row of inputs apart.
  int output_rows;
  // The rows of LaneStrip::input, with those of padding at its end.
  int64_t window_rows;
  // Bytes of scratch memory for a column of the window.
  int64_t column_bytes;
};

// Writes all outputs of `conv`, by calls of `kernel` with strips of them. Does
// nothing where there are no outputs.
void ConvLanes(const LaneConv& conv, void (*kernel)(const LaneStrip& strip),
               Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_CONV_H_
