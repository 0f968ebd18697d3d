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

// The layout is the same for all instruction sets, see PackedWeights().
class PackedDepthwise {
 public:
  // One input and one output for each group; any kernel, stride, padding and
  // dilation, of up to three dimensions; not transposed.
  static bool Takes(const ConvShape& shape);

  PackedDepthwise() = default;
  // `weights` is dense: [channels][depth][height][width]. Takes(shape).
  PackedDepthwise(const ConvShape& shape, const int8_t* weights);

  const ConvShape& shape() const { return shape_; }
  // The sum of the weights of each channel, and how many there are: what
  // PlanOutput takes.
  absl::Span<const int32_t> column_sums() const { return column_sums_; }
  int64_t k() const {
    return shape_.kernel[0] * shape_.kernel[1] * shape_.kernel[2];
  }
  // The weights as they were given.
  const int8_t* weights() const { return weights_.data(); }

  absl::Span<const LaneBlock> blocks() const { return blocks_; }
  // Rows of outputs that are computed together: 2 where their window of rows of
  // inputs takes no more steps than that of 1. It begins a row later for the
  // second one.
  int output_rows() const { return output_rows_; }
  // Steps, of four rows, in a column of the window.
  int64_t quads() const { return quads_; }

  // A step is 64 weights for each of four chunks: [chunk][lane][4 channels]
  // [4 weights].
  //
  // `narrow`: [output_rows][kernel width][quads] steps. The weights of a step
  // meet four rows of one column of the window; for the second row of outputs,
  // they are those of one row above.
  // `wide`: the same in 16 bits, a step [chunk][2][lane][4 channels][2
  // weights]: first rows 0 and 2, then 1 and 3. `in_order`: [(k + 3) / 4]
  // steps: the weights in the order they were given, four by four. `stride_2`:
  // 4 steps, see depthwise_3x3_simd.h; null when the kernel or the stride is
  // another. `safe_activations`: [lane][16]: the largest activation with which
  // no pair of weights of that channel saturates.
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
