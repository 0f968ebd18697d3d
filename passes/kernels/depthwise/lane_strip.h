// The argument of the kernels of depthwise and grouped convolutions: a few rows
// of outputs, with all that is needed to compute them. ConvLanes (lane_conv.h)
// fills it in. Blocks, lanes and chunks are those of lane_blocks.h.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_STRIP_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_STRIP_H_

#include <cstdint>

#include "passes/kernels/output_pipeline.h"

namespace ns::kernels {

// The weights of a step: four for each of the 64 sums of a block, which are 16
// in each of four chunks. vpdpbusd adds four products to a sum.
constexpr int64_t kStepWeights = 4 * 64;

// The weights of a block, in the orders that PackedWeights describes, of
// PackedDepthwise (packed_depthwise.h) or of PackedGrouped
// (passes/kernels/grouped/packed_grouped.h). Those that a class does not have
// are null.
struct LaneWeights {
  const int8_t* narrow;
  const int16_t* wide;
  const int8_t* in_order;
  const uint8_t* safe_activations;
  const int8_t* stride_2;
};

// A row of inputs or outputs, from the first channel of one lane on. Column c
// is at
//
//   base + ((c * bytes of a pixel) & mask)
//
// A row of the tensor has the mask -1. A row outside it has the mask 0, so that
// all columns are at the base: 64 bytes of the zero point for inputs, or 64
// bytes that may be overwritten for outputs.
struct LaneRow {
  uint8_t* base;
  int64_t mask;
};

// Neighbouring rows of outputs, of the channels of one block, and their window:
// the rows of inputs from which they are computed.
struct LaneStrip {
  // The channels of a group: 1 for depthwise convolutions.
  int group_channels;
  // These are of the width, the direction of a row.
  int64_t kernel_width;
  int64_t stride;
  int64_t padding;
  int64_t dilation;
  int64_t input_width;
  int64_t output_width;
  // Bytes from one pixel to the next.
  int64_t input_pixel;
  int64_t output_pixel;
  // From how many rows of the window one row of outputs is computed: the depth
  // of the kernel times its height. Row r of outputs takes the rows r to
  // r + kernel_rows - 1 of the window.
  int64_t kernel_rows;
  // The window, [rows][4 lanes], with rows of padding at its end that make it a
  // whole number of steps of the weights; and the outputs, [output_rows]
  // [4 lanes]. Of a contiguous block, the row of lane 0 stands for all lanes.
  const LaneRow* input;
  const LaneRow* output;
  int output_rows;

  // These are as in LaneBlock (lane_blocks.h).
  bool contiguous;
  int lane_channels;
  LaneWeights weights;

  // Whether sums of two products saturate (passes/kernels/saturation_mode.h).
  bool saturates;
  // The zero point of the inputs.
  uint8_t zero_point;
  // As in OutputPlan (passes/kernels/output_pipeline.h). The arrays have an
  // element for each of the 64 sums of the block, in the order of PlaceInChunks
  // (lane_blocks.h). weight_zero_points is null when all are 0.
  const int32_t* start;
  const float* addend;
  const float* multiplier;
  const int32_t* weight_zero_points;
  float addend_factor;
  OutputType type;
  ByteConstants bytes;
  float min;
  float max;

  // Scratch memory of the kernel, 64-byte aligned. It holds the columns of
  // inputs that `outputs_at_once` columns of outputs need, at
  // LaneConv::column_bytes each.
  uint8_t* scratch;
  int64_t outputs_at_once;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_STRIP_H_
