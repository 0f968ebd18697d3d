#include "passes/lowering/kernels/depthwise/packed_depthwise.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ns::kernels {
namespace {

int64_t StepsOf(int64_t rows) {
  return (rows + PackedDepthwise::kRowsOfStep - 1) /
         PackedDepthwise::kRowsOfStep;
}

// The place of a channel in an operand of a step, in units of its four bytes.
int64_t PlaceInStep(int64_t lane, int64_t channel) {
  return channel / 4 * 16 + lane * 4 + channel % 4;
}

// Calls function(block index, lane, channel of the lane, channel).
template <typename Function>
void ForEachLaneChannel(absl::Span<const PackedDepthwise::Block> blocks,
                        Function function) {
  for (size_t index = 0; index < blocks.size(); ++index) {
    const PackedDepthwise::Block& block = blocks[index];
    for (int64_t lane = 0; lane < PackedDepthwise::kLanes; ++lane) {
      for (int64_t i = 0; i < block.lane_channels; ++i) {
        function(static_cast<int64_t>(index), lane, i,
                 block.first_channel[lane] + i);
      }
    }
  }
}

}  // namespace

bool PackedDepthwise::Takes(const ConvShape& shape) {
  return !shape.transposed && shape.groups == shape.in_channels &&
         shape.groups == shape.out_channels;
}

PackedDepthwise::PackedDepthwise(const ConvShape& shape, const int8_t* weights)
    : shape_(shape), column_sums_(shape.groups) {
  weights_.assign(weights, weights + shape.groups * k());
  for (int64_t channel = 0; channel < shape.groups; ++channel) {
    for (int64_t tap = 0; tap < k(); ++tap) {
      column_sums_[channel] += weights[channel * k() + tap];
    }
  }
  quads_ = StepsOf(window_rows(1));
  const bool rows_overlap = shape.kernel[0] == 1 && shape.stride[1] == 1 &&
                            shape.dilation[1] == 1;
  output_rows_ = rows_overlap && StepsOf(window_rows(2)) == quads_ ? 2 : 1;
  MakeBlocks();
  PackColumns();
  PackTaps();
}

void PackedDepthwise::MakeBlocks() {
  const int64_t channels = shape_.groups;
  for (int64_t first = 0; first < channels; first += kBlockChannels) {
    const int64_t left = channels - first;
    Block block;
    block.contiguous = left >= kBlockChannels;
    block.lanes = static_cast<int>(
        std::min<int64_t>((left + kLaneChannels - 1) / kLaneChannels, kLanes));
    block.units = block.lanes == 3 ? 4 : block.lanes;
    block.lane_channels =
        static_cast<int>(std::min<int64_t>(left, kLaneChannels));
    for (int lane = 0; lane < kLanes; ++lane) {
      // The last lane may have channels of the one before it.
      const int64_t offset =
          std::min<int64_t>(lane % block.units * kLaneChannels,
                            std::max<int64_t>(left - kLaneChannels, 0));
      block.first_channel[lane] = first + offset;
    }
    blocks_.push_back(block);
  }
}

void PackedDepthwise::PackColumns() {
  const int64_t width = shape_.kernel[2];
  const int64_t steps = column_step_count();
  const int64_t bytes =
      static_cast<int64_t>(blocks_.size()) * steps * kStepBytes;
  column_steps_ = Allocate(bytes);
  wide_steps_ = Allocate(bytes * 2);
  ForEachLaneChannel(blocks_, [&](int64_t block, int64_t lane, int64_t i,
                                  int64_t channel) {
    int8_t* narrow = column_steps_.get() + block * steps * kStepBytes;
    int16_t* wide = reinterpret_cast<int16_t*>(wide_steps_.get()) +
                    block * steps * kStepBytes;
    const int64_t place = PlaceInStep(lane, i);
    const int64_t chunk = place / 16;
    for (int64_t tap = 0; tap < k(); ++tap) {
      const int8_t weight = weights_[channel * k() + tap];
      const int64_t row = tap / width;
      for (int64_t output_row = 0; output_row < output_rows_; ++output_row) {
        // The row of the window that this row of outputs meets the tap in.
        const int64_t at = row + output_row;
        const int64_t step = (output_row * width + tap % width) * quads_ +
                             at / kRowsOfStep;
        const int64_t byte = at % kRowsOfStep;
        narrow[step * kStepBytes + place * 4 + byte] = weight;
        wide[step * kStepBytes +
             ((chunk * 2 + byte % 2) * 16 + place % 16) * 2 + byte / 2] =
            weight;
      }
    }
  });
}

void PackedDepthwise::PackTaps() {
  const int64_t blocks = static_cast<int64_t>(blocks_.size());
  tap_steps_ = Allocate(blocks * tap_steps() * kStepBytes);
  safe_activations_ = Allocate(blocks * kBlockChannels);
  std::memset(safe_activations_.get(), 0xFF, blocks * kBlockChannels);
  ForEachLaneChannel(blocks_, [&](int64_t block, int64_t lane, int64_t i,
                                  int64_t channel) {
    const int8_t* weights = weights_.data() + channel * k();
    int8_t* packed = tap_steps_.get() + block * tap_steps() * kStepBytes;
    int safe = 255;
    for (int64_t tap = 0; tap < k(); tap += 2) {
      int low = 0;
      int high = 0;
      for (int64_t t = tap; t < std::min(tap + 2, k()); ++t) {
        packed[t / 4 * kStepBytes + PlaceInStep(lane, i) * 4 + t % 4] =
            weights[t];
        low += std::min<int>(weights[t], 0);
        high += std::max<int>(weights[t], 0);
      }
      safe = std::min(safe, high == 0 ? 255 : 32767 / high);
      safe = std::min(safe, low == 0 ? 255 : 32768 / -low);
    }
    safe_activations_.get()[block * kBlockChannels + lane * kLaneChannels + i] =
        static_cast<int8_t>(safe);
  });
}

PackedDepthwise::Bytes PackedDepthwise::Allocate(int64_t size) {
  const int64_t rounded = std::max<int64_t>((size + 63) / 64 * 64, 64);
  Bytes bytes(static_cast<int8_t*>(std::aligned_alloc(64, rounded)));
  std::memset(bytes.get(), 0, rounded);
  return bytes;
}

void PackedDepthwise::Free::operator()(int8_t* data) const { std::free(data); }

}  // namespace ns::kernels
