#include "passes/kernels/conv/pair_sums.h"

#include <algorithm>
#include <limits>

namespace ns::kernels {
namespace {

constexpr int32_t kLowestS16 = std::numeric_limits<int16_t>::min();
constexpr int32_t kHighestS16 = std::numeric_limits<int16_t>::max();

// The weights that an output channel's sum meets, in its order.
class ChannelWeights {
 public:
  ChannelWeights(const ConvShape& shape, const int8_t* weights, int64_t channel)
      : shape_(shape),
        weights_(weights),
        channel_(channel),
        taps_(shape.kernel[0] * shape.kernel[1] * shape.kernel[2]),
        group_inputs_(shape.in_channels / shape.groups) {}

  int64_t count() const { return taps_ * group_inputs_; }

  int32_t operator[](int64_t k) const {
    const int64_t tap = k / group_inputs_;
    const int64_t c = k % group_inputs_;
    return weights_[Row(c) * taps_ + tap];
  }

 private:
  int64_t Row(int64_t c) const {
    if (!shape_.transposed) {
      return channel_ * group_inputs_ + c;
    }
    const int64_t group_outputs = shape_.out_channels / shape_.groups;
    const int64_t input = channel_ / group_outputs * group_inputs_ + c;
    return input * group_outputs + channel_ % group_outputs;
  }

  const ConvShape& shape_;
  const int8_t* weights_;
  int64_t channel_;
  int64_t taps_;
  int64_t group_inputs_;
};

}  // namespace

PairSumBounds BoundPairSums(const ConvShape& shape, const int8_t* weights,
                            int32_t highest_value) {
  PairSumBounds bounds;
  bounds.channels = shape.out_channels;
  for (int64_t channel = 0; channel < shape.out_channels; ++channel) {
    const ChannelWeights b(shape, weights, channel);
    int32_t lowest = 0;
    int32_t highest = 0;
    for (int64_t k = 0; k < b.count(); k += 2) {
      const int32_t b0 = b[k];
      const int32_t b1 = k + 1 < b.count() ? b[k + 1] : 0;
      lowest = std::min(lowest, std::min(b0, 0) + std::min(b1, 0));
      highest = std::max(highest, std::max(b0, 0) + std::max(b1, 0));
    }
    lowest *= highest_value;
    highest *= highest_value;
    const bool leaves = lowest < kLowestS16 || highest > kHighestS16;
    bounds.leaving_channels += leaves ? 1 : 0;
    bounds.lowest = std::min(bounds.lowest, lowest);
    bounds.highest = std::max(bounds.highest, highest);
  }
  return bounds;
}

}  // namespace ns::kernels
