// The weights of a depthwise convolution in the orders its kernels read them.
#ifndef PASSES_LOWERING_KERNELS_DEPTHWISE_PACKED_DEPTHWISE_H_
#define PASSES_LOWERING_KERNELS_DEPTHWISE_PACKED_DEPTHWISE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "passes/lowering/kernels/conv/conv_shape.h"

namespace ns::kernels {

// The layout is the same for all instruction sets. Kernels work on blocks of
// four lanes, each of 16 channels that follow each other. Sums of a block are
// four chunks of four channels of each lane, for that is how bytes of four
// vectors interleave without leaving their lane:
//
//   chunk c of a block = channels first_channel[lane] + 4 * c + 0..3
//                        for the lanes 0..3
//
// An operand of a step, here and below, is 256 bytes [chunk][lane][4 channels]
// [4 bytes]: those four bytes meet the activations of four rows.
class PackedDepthwise {
 public:
  static constexpr int kLanes = 4;
  static constexpr int kLaneChannels = 16;
  static constexpr int kBlockChannels = kLanes * kLaneChannels;
  static constexpr int kRowsOfStep = 4;
  static constexpr int kStepBytes = kRowsOfStep * kBlockChannels;

  // Which channels a block has. When `contiguous`, 64 that follow each other.
  // Otherwise its first `units` lanes are of one row of outputs, the next
  // `units` of another, and so on: few channels fill a vector, too.
  struct Block {
    int64_t first_channel[kLanes];
    bool contiguous;
    int units;          // 1, 2 or 4; 4 when contiguous
    int lanes;          // those with channels: units, or 3 of 4
    int lane_channels;  // below 16 only for one unit
    // Rows of outputs, of R, that one pass computes.
    int groups() const { return kLanes / units; }
  };

  // One input and one output for each group; any kernel, stride, padding and
  // dilation, of up to three dimensions; not transposed.
  static bool Takes(const ConvShape& shape);

  PackedDepthwise() = default;
  // `weights` is dense: [channels][depth][height][width]. Takes(shape).
  PackedDepthwise(const ConvShape& shape, const int8_t* weights);

  const ConvShape& shape() const { return shape_; }
  // For each channel, the sum of its weights, and how many there are: what
  // PlanOutput takes.
  absl::Span<const int32_t> column_sums() const { return column_sums_; }
  int64_t k() const {
    return shape_.kernel[0] * shape_.kernel[1] * shape_.kernel[2];
  }
  // As they were given.
  const int8_t* weights() const { return weights_.data(); }

  absl::Span<const Block> blocks() const { return blocks_; }
  // Rows of outputs that share a window of rows of inputs: 2 where that costs
  // no more steps than 1. The second one's window begins a row later.
  int output_rows() const { return output_rows_; }
  // Rows of inputs in the window of `output_rows` rows of outputs.
  int64_t window_rows(int output_rows) const {
    return shape_.kernel[0] * shape_.kernel[1] + output_rows - 1;
  }
  // Steps, of four rows, in a column of the window.
  int64_t quads() const { return quads_; }
  // Steps of four taps that follow each other.
  int64_t tap_steps() const { return (k() + 3) / 4; }

  // [output_rows][kernel width][quads] steps: the weights of a column of rows,
  // as seen by each row of outputs.
  const int8_t* column_steps(int64_t block) const {
    return column_steps_.get() + block * column_step_count() * kStepBytes;
  }
  // The same in 16 bits. Each step is [chunk][2][lane][4 channels][2]: first
  // rows 0 and 2, then 1 and 3.
  const int16_t* wide_steps(int64_t block) const {
    return reinterpret_cast<const int16_t*>(wide_steps_.get()) +
           block * column_step_count() * kStepBytes;
  }
  // [tap_steps]: taps in order, four by four.
  const int8_t* tap_steps(int64_t block) const {
    return tap_steps_.get() + block * tap_steps() * kStepBytes;
  }
  // [lane][16]: the largest activation with which no pair of taps of that
  // channel saturates.
  const uint8_t* safe_activations(int64_t block) const {
    return reinterpret_cast<const uint8_t*>(safe_activations_.get()) +
           block * kBlockChannels;
  }

 private:
  struct Free {
    void operator()(int8_t* data) const;
  };
  using Bytes = std::unique_ptr<int8_t, Free>;

  static Bytes Allocate(int64_t size);
  int64_t column_step_count() const {
    return output_rows_ * shape_.kernel[2] * quads_;
  }
  void MakeBlocks();
  void PackColumns();
  void PackTaps();

  ConvShape shape_;
  std::vector<int8_t> weights_;
  std::vector<int32_t> column_sums_;
  std::vector<Block> blocks_;
  int output_rows_ = 1;
  int64_t quads_ = 0;
  Bytes column_steps_;
  Bytes wide_steps_;
  Bytes tap_steps_;
  Bytes safe_activations_;
};

}  // namespace ns::kernels

#endif  // PASSES_LOWERING_KERNELS_DEPTHWISE_PACKED_DEPTHWISE_H_
