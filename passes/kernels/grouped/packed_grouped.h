// Packs the weights of a grouped convolution in the orders that its kernels
// read them.
#ifndef PASSES_KERNELS_GROUPED_PACKED_GROUPED_H_
#define PASSES_KERNELS_GROUPED_PACKED_GROUPED_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "passes/kernels/conv_shape.h"
#include "passes/kernels/depthwise/lane_blocks.h"
#include "passes/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

// The layout is the same for all instruction sets, see PackedWeights().
class PackedGrouped {
 public:
  // 2, 4, 8 or 16 inputs and as many outputs for each group; any kernel,
  // stride, padding and dilation, of up to three dimensions; not transposed.
  static bool Takes(const ConvShape& shape);

  PackedGrouped() = default;
  // Copies `weights`, which are dense: [channels][channels of a group][depth]
  // [height][width]. Takes(shape) must hold.
  PackedGrouped(const ConvShape& shape, const int8_t* weights);

  const ConvShape& shape() const { return shape_; }
  // The sum of the k() weights of each output channel, which PlanOutput
  // (passes/kernels/output_pipeline.h) takes.
  absl::Span<const int32_t> column_sums() const { return column_sums_; }
  int64_t k() const {
    return group_channels() * shape_.kernel[0] * shape_.kernel[1] *
           shape_.kernel[2];
  }
  // The weights as they were given.
  const int8_t* weights() const { return weights_.data(); }
  int64_t group_channels() const { return shape_.in_channels / shape_.groups; }

  absl::Span<const LaneBlock> blocks() const { return blocks_; }
  // Rows of outputs that are computed together, 1 or 2.
  int output_rows() const { return output_rows_; }
  // Rows of inputs that a step meets: 2 for two channels, or else 1.
  int64_t step_rows() const { return group_channels() == 2 ? 2 : 1; }
  // Steps of rows in the window of one row of outputs, and of all together.
  int64_t row_steps() const { return StepsOf(1); }
  int64_t window_steps() const { return StepsOf(output_rows_); }

  // Returns pointers to the weights of blocks()[block], which this object owns:
  // `narrow` and `wide`; the others are null.
  //
  // A step is four weights for each of 64 outputs: [chunk][lane][4 outputs]
  // [4 weights], see lane_blocks.h. They meet four channels of the output's
  // group in one pixel or, in groups of two channels, [2 rows][2 channels]. A
  // row is one of kernel depth x height; places without a weight are 0.
  //
  // `narrow`: [kernel width][row_steps][group_channels() / 4] steps. In groups
  // of two, [output_rows][kernel width][row_steps] steps: for the second row of
  // outputs, row r has the weights of kernel row r - 1.
  // `wide`: the same in 16 bits, a step [chunk][2][lane][4 outputs][2 weights]:
  // first weights 0 and 2, then 1 and 3.
  LaneWeights PackedWeights(int64_t block) const;

 private:
  int64_t StepsOf(int64_t rows) const {
    return (shape_.kernel[0] * shape_.kernel[1] + rows - 1 + step_rows() - 1) /
           step_rows();
  }
  int64_t block_steps() const;
  void Pack();

  ConvShape shape_;
  std::vector<int8_t> weights_;
  std::vector<int32_t> column_sums_;
  std::vector<LaneBlock> blocks_;
  int output_rows_ = 1;
  AlignedBytes narrow_;
  AlignedBytes wide_;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GROUPED_PACKED_GROUPED_H_
