#include "passes/kernels/depthwise/packed_depthwise.h"

#include <algorithm>
#include <cstring>

namespace ns::kernels {
namespace {

constexpr int64_t kStepRows = 4;
constexpr int64_t kStride2Steps = 4;

int64_t QuadsOf(int64_t rows) { return (rows + kStepRows - 1) / kStepRows; }

}  // namespace

bool PackedDepthwise::Takes(const ConvShape& shape) {
  return !shape.transposed && shape.groups == shape.in_channels &&
         shape.groups == shape.out_channels;
}

PackedDepthwise::PackedDepthwise(const ConvShape& shape, const int8_t* weights)
    : shape_(shape),
      column_sums_(shape.groups),
      blocks_(MakeLaneBlocks(shape.groups)) {
  weights_.assign(weights, weights + shape.groups * k());
  for (int64_t channel = 0; channel < shape.groups; ++channel) {
    for (int64_t tap = 0; tap < k(); ++tap) {
      column_sums_[channel] += weights[channel * k() + tap];
    }
  }
  const int64_t rows = shape.kernel[0] * shape.kernel[1];
  const bool rows_overlap =
      shape.kernel[0] == 1 && shape.stride[1] == 1 && shape.dilation[1] == 1;
  quads_ = QuadsOf(rows);
  output_rows_ = rows_overlap && QuadsOf(rows + 1) == quads_ ? 2 : 1;
  PackColumns();
  PackInOrder();
  if (rows == 3 && shape.kernel[2] == 3 && shape.stride[2] == 2 &&
      shape.dilation[2] == 1) {
    PackStride2();
  }
}

LaneWeights PackedDepthwise::PackedWeights(int64_t block) const {
  return {narrow_.get() + block * column_steps() * kStepWeights,
          reinterpret_cast<const int16_t*>(wide_.get()) +
              block * column_steps() * kStepWeights,
          in_order_.get() + block * steps_in_order() * kStepWeights,
          reinterpret_cast<const uint8_t*>(safe_activations_.get()) +
              block * kBlockChannels,
          stride_2_ == nullptr
              ? nullptr
              : stride_2_.get() + block * kStride2Steps * kStepWeights};
}

void PackedDepthwise::PackColumns() {
  const int64_t width = shape_.kernel[2];
  const int64_t block_weights = column_steps() * kStepWeights;
  const int64_t weights = static_cast<int64_t>(blocks_.size()) * block_weights;
  narrow_ = AllocateZeros(weights);
  wide_ = AllocateZeros(weights * 2);
  ForEachLaneChannel(blocks_, [&](int64_t block, int64_t lane, int64_t i,
                                  int64_t channel) {
    int8_t* narrow = narrow_.get() + block * block_weights;
    int16_t* wide =
        reinterpret_cast<int16_t*>(wide_.get()) + block * block_weights;
    const int64_t place = PlaceInChunks(lane, i);
    for (int64_t tap = 0; tap < k(); ++tap) {
      const int8_t weight = weights_[channel * k() + tap];
      for (int64_t output_row = 0; output_row < output_rows_; ++output_row) {
        const int64_t row = tap / width + output_row;
        const int64_t step =
            (output_row * width + tap % width) * quads_ + row / kStepRows;
        const int64_t chunk = step * 4 + place / 16;
        const int64_t in_step = row % kStepRows;
        narrow[(chunk * 16 + place % 16) * 4 + in_step] = weight;
        wide[((chunk * 2 + in_step % 2) * 16 + place % 16) * 2 + in_step / 2] =
            weight;
      }
    }
  });
}

void PackedDepthwise::PackInOrder() {
  const int64_t blocks = static_cast<int64_t>(blocks_.size());
  in_order_ = AllocateZeros(blocks * steps_in_order() * kStepWeights);
  safe_activations_ = AllocateZeros(blocks * kBlockChannels);
  // Lanes may have fewer channels than 16: what is not there does no harm.
  std::memset(safe_activations_.get(), 0xFF, blocks * kBlockChannels);
  ForEachLaneChannel(blocks_, [&](int64_t block, int64_t lane, int64_t i,
                                  int64_t channel) {
    const int8_t* weights = weights_.data() + channel * k();
    int8_t* packed = in_order_.get() + block * steps_in_order() * kStepWeights;
    int safe = 255;
    for (int64_t tap = 0; tap < k(); tap += 2) {
      int low = 0;
      int high = 0;
      for (int64_t t = tap; t < std::min(tap + 2, k()); ++t) {
        packed[t / 4 * kStepWeights + PlaceInChunks(lane, i) * 4 + t % 4] =
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

void PackedDepthwise::PackStride2() {
  // The taps of the four weights of each step, or -1.
  constexpr int kTaps[kStride2Steps][4] = {{0, 3, 6, -1},    // Q(j)
                                           {2, 5, 8, 1},     // Q(j + 1)
                                           {4, 7, -1, -1},   // R(j)
                                           {-1, -1, 4, 7}};  // R(j - 1)
  constexpr int64_t kBlockWeights = kStride2Steps * kStepWeights;
  stride_2_ =
      AllocateZeros(static_cast<int64_t>(blocks_.size()) * kBlockWeights);
  ForEachLaneChannel(
      blocks_, [&](int64_t block, int64_t lane, int64_t i, int64_t channel) {
        for (int64_t j = 0; j < kStride2Steps * 4; ++j) {
          const int tap = kTaps[j / 4][j % 4];
          if (tap >= 0) {
            stride_2_.get()[block * kBlockWeights + j / 4 * kStepWeights +
                            PlaceInChunks(lane, i) * 4 + j % 4] =
                weights_[channel * 9 + tap];
          }
        }
      });
}

}  // namespace ns::kernels
