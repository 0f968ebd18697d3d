#include "passes/kernels/grouped/packed_grouped.h"

#include <algorithm>

namespace ns::kernels {

bool PackedGrouped::Takes(const ConvShape& shape) {
  const int64_t channels = shape.in_channels / shape.groups;
  return !shape.transposed && shape.in_channels == shape.out_channels &&
         (channels == 2 || channels == 4 || channels == 8 || channels == 16);
}

PackedGrouped::PackedGrouped(const ConvShape& shape, const int8_t* weights)
    : shape_(shape),
      column_sums_(shape.out_channels),
      blocks_(MakeLaneBlocks(shape.out_channels)) {
  weights_.assign(weights, weights + shape.out_channels * k());
  for (int64_t output = 0; output < shape.out_channels; ++output) {
    for (int64_t i = 0; i < k(); ++i) {
      column_sums_[output] += weights[output * k() + i];
    }
  }
  const bool rows_overlap =
      shape.kernel[0] == 1 && shape.stride[1] == 1 && shape.dilation[1] == 1;
  // Steps of two rows are shared by an odd number of them and the next row.
  if (rows_overlap && (step_rows() == 1 || StepsOf(2) == StepsOf(1))) {
    output_rows_ = 2;
  }
  Pack();
}

int64_t PackedGrouped::block_steps() const {
  const int64_t copies = step_rows() == 2 ? output_rows_ : 1;
  return copies * shape_.kernel[2] * row_steps() *
         std::max<int64_t>(group_channels() / 4, 1);
}

LaneWeights PackedGrouped::PackedWeights(int64_t block) const {
  LaneWeights weights = {};
  const int64_t first = block * block_steps() * kStepWeights;
  weights.narrow = narrow_.get() + first;
  weights.wide = reinterpret_cast<const int16_t*>(wide_.get()) + first;
  return weights;
}

void PackedGrouped::Pack() {
  const int64_t channels = group_channels();
  const int64_t width = shape_.kernel[2];
  const int64_t positions = k() / channels;
  const int64_t count =
      static_cast<int64_t>(blocks_.size()) * block_steps() * kStepWeights;
  narrow_ = AllocateZeros(count);
  wide_ = AllocateZeros(count * 2);
  int16_t* all_wide = reinterpret_cast<int16_t*>(wide_.get());
  const int64_t copies = step_rows() == 2 ? output_rows_ : 1;
  const int64_t channel_steps = std::max<int64_t>(channels / 4, 1);
  ForEachLaneChannel(blocks_, [&](int64_t block, int64_t lane, int64_t i,
                                  int64_t output) {
    const int64_t first = block * block_steps();
    const int64_t place = PlaceInChunks(lane, i);
    for (int64_t j = 0; j < k() * copies; ++j) {
      const int64_t copy = j / k();
      const int64_t channel = j % k() / positions;
      const int64_t position = j % positions;
      // The first row of outputs has copy 0, which is the only one or its own.
      const int64_t row = position / width + copy;
      const int64_t step = ((copy * width + position % width) * row_steps() +
                            row / step_rows()) *
                               channel_steps +
                           channel / 4;
      const int64_t in_step = row % step_rows() * 2 + channel % 4;
      const int64_t chunk = (first + step) * 4 + place / 16;
      const int8_t weight = weights_[output * k() + j % k()];
      narrow_.get()[(chunk * 16 + place % 16) * 4 + in_step] = weight;
      all_wide[((chunk * 2 + in_step % 2) * 16 + place % 16) * 2 +
               in_step / 2] = weight;
    }
  });
}

}  // namespace ns::kernels
