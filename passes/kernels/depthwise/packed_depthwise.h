// Packs the weights of a depthwise convolution in the orders that its kernels
// read them.
#ifndef PASSES_KERNELS_DEPTHWISE_PACKED_DEPTHWISE_H_
#define PASSES_KERNELS_DEPTHWISE_PACKED_DEPTHWISE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "passes/kernels/conv_shape.h"
#include "passes/kernels/depthwise/lane_blocks.h"
#include "passes/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

// Holds the weights of one convolution. The layout is the same for all
// instruction sets, see PackedWeights(). Blocks, lanes and chunks are those of
// lane_blocks.h.
class PackedDepthwise {
 public:
  // Whether `shape` has one input and one output channel in each group, and is
  // not transposed. Kernel, stride, padding and dilation are of any size.
  static bool Takes(const ConvShape& shape);

  PackedDepthwise() = default;
  // Takes(shape) must be true. `weights` is dense, [channels][depth][height]
  // [width], where the last three are the size of the kernel. It is copied.
  PackedDepthwise(const ConvShape& shape, const int8_t* weights);

  const ConvShape& shape() const { return shape_; }
  // What PlanOutput (output_pipeline.h) takes: the sum of the weights of each
  // channel, and how many weights each channel has.
  absl::Span<const int32_t> column_sums() const { return column_sums_; }
  int64_t k() const {
    return shape_.kernel[0] * shape_.kernel[1] * shape_.kernel[2];
  }
  // The weights as they were given.
  const int8_t* weights() const { return weights_.data(); }

  absl::Span<const LaneBlock> blocks() const { return blocks_; }
  // How many rows of outputs are computed together. 2 where the kernel has no
  // depth, stride and dilation of the height are 1, so that the window (the
  // rows of inputs) of the second begins one row later, and the window of both
  // takes no more steps than that of one. Otherwise 1.
  int output_rows() const { return output_rows_; }
  // Steps, of four rows, in a column of the window.
  int64_t quads() const { return quads_; }

  // Returns pointers to the weights of blocks()[block], which this object owns.
  // What a channel does not have is 0. A step is kStepWeights weights:
  // [4 chunks][4 lanes][4 channels][4 weights].
  //
  // `narrow`: [output_rows][kernel width][quads] steps. The four weights of a
  // channel in a step are for four rows of one column of the window. For the
  // second row of outputs, all weights stand one row further down.
  // `wide`: the same in 16 bits. A step is [4 chunks][2][4 lanes][4 channels]
  // [2 weights]: first those of rows 0 and 2, then those of rows 1 and 3.
  // `in_order`: [(k + 3) / 4] steps: the weights in the order they were given,
  // four by four.
  // `stride_2`: 4 steps, see depthwise_3x3_simd.h; null unless the kernel has 3
  // rows and 3 columns, with a stride of 2 and a dilation of 1 of the width.
  // `safe_activations`: [4 lanes][16 channels]: the largest activation with
  // which no pair of weights of the channel saturates.
  LaneWeights PackedWeights(int64_t block) const;

 private:
  int64_t column_steps() const {
    return output_rows_ * shape_.kernel[2] * quads_;
  }
  int64_t steps_in_order() const { return (k() + 3) / 4; }
  void PackColumns();
  void PackInOrder();
  void PackStride2();

  ConvShape shape_;
  std::vector<int8_t> weights_;
  std::vector<int32_t> column_sums_;
  std::vector<LaneBlock> blocks_;
  int output_rows_ = 1;
  int64_t quads_ = 0;
  AlignedBytes narrow_;
  AlignedBytes wide_;
  AlignedBytes in_order_;
  AlignedBytes stride_2_;
  AlignedBytes safe_activations_;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_PACKED_DEPTHWISE_H_
