// The argument of kernels of lanes: rows of outputs with all that is needed to
// compute them.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_STRIP_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_STRIP_H_

#include <cstdint>

#include "passes/kernels/output_pipeline.h"

namespace ns::kernels {

// Weights of a step: 16 for each of four chunks and for each of four sums of
// vpdpbusd, see lane_blocks.h.
constexpr int64_t kStepWeights = 4 * 64;

// The weights of a block, in the orders that their class documents.
struct LaneWeights {
  const int8_t* narrow;
  const int16_t* wide;
  const int8_t* in_order;
  const uint8_t* safe_activations;
  const int8_t* stride_2;
};

// A row of inputs or outputs as one lane sees it. Its column c is at
// base + (c * bytes of a pixel & mask): what lies outside the tensor has the
// mask 0, and 64 bytes of padding, or of outputs to waste, as its base.
struct LaneRow {
  uint8_t* base;
  int64_t mask;
};

// Rows of outputs of the channels of one block, next to each other, with their
// window: the rows of inputs they meet.
struct LaneStrip {
  int group_channels;
  // These are in the direction of a row.
  int64_t kernel_width;
  int64_t stride;
  int64_t padding;
  int64_t dilation;
  int64_t input_width;
  int64_t output_width;
  // Bytes from one pixel to the next.
  int64_t input_pixel;
  int64_t output_pixel;
  // Rows of the window that one row of outputs meets; its first is output row
  // r's r-th.
  int64_t kernel_rows;
  // [window rows][4 lanes], of which there are enough for a whole number of
  // steps, and [output_rows][4 lanes].
  const LaneRow* input;
  const LaneRow* output;
  int output_rows;

  // These are as in LaneBlock.
  bool contiguous;
  int lane_channels;
  LaneWeights weights;

  // Pairs of products saturate.
  bool saturates;
  // The zero point of the inputs.
  uint8_t zero_point;
  // As in OutputPlan, for each channel, in the order of chunks. Zero points are
  // null when all are 0.
  const int32_t* start;
  const float* addend;
  const float* multiplier;
  const int32_t* weight_zero_points;
  float addend_factor;
  OutputType type;
  ByteConstants bytes;
  float min;
  float max;

  // 64-byte aligned, for inputs of `outputs_at_once` columns of outputs.
  uint8_t* scratch;
  int64_t outputs_at_once;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_STRIP_H_
