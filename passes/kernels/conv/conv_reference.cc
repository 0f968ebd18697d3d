#include <algorithm>

#include "passes/kernels/conv/conv.h"
#include "passes/kernels/conv/conv_saturation.h"

namespace ns::kernels {
namespace {

// The input position that kernel position `tap` brings to output `output`, or
// -1 when there is none.
int64_t InputPosition(const ConvShape& shape, int axis, int64_t output,
                      int64_t tap, int64_t size) {
  const int64_t reach = tap * shape.dilation[axis];
  int64_t position = output * shape.stride[axis] - shape.padding[axis] + reach;
  if (shape.transposed) {
    position = output + shape.padding[axis] - reach;
    if (position % shape.stride[axis] != 0) {
      return -1;
    }
    position /= shape.stride[axis];
  }
  return position < 0 || position >= size ? -1 : position;
}

// Products, added in pairs.
class PairSum {
 public:
  explicit PairSum(bool saturates) : saturates_(saturates) {}

  void Add(int32_t product) {
    pair_ += product;
    odd_ = !odd_;
    if (!odd_) {
      Flush();
    }
  }

  int32_t Total() {
    Flush();
    return static_cast<int32_t>(total_);
  }

 private:
  void Flush() {
    total_ += static_cast<uint32_t>(
        saturates_ ? std::min(std::max(pair_, -32768), 32767) : pair_);
    pair_ = 0;
  }

  bool saturates_;
  bool odd_ = false;
  int32_t pair_ = 0;
  // Unsigned: sums of s32 wrap around.
  uint32_t total_ = 0;
};

struct Image {
  const uint8_t* data;
  Dims size;
};

// The output at `position` of `channel`, written to `out` at `index`.
void Compute(const Image& image, const ConvShape& shape, const int8_t* weights,
             bool saturates, const OutputPlan& plan, const Dims& position,
             int64_t channel, void* out, int64_t index) {
  const Dims& kernel = shape.kernel;
  const int64_t taps = kernel[0] * kernel[1] * kernel[2];
  const int64_t group_inputs = shape.in_channels / shape.groups;
  const int64_t group_outputs = shape.out_channels / shape.groups;
  const int64_t group = channel / group_outputs;
  PairSum sum(saturates);
  uint32_t row_sum = 0;
  for (int64_t tap = 0; tap < taps; ++tap) {
    const Dims at = {tap / (kernel[1] * kernel[2]), tap / kernel[2] % kernel[1],
                     tap % kernel[2]};
    int64_t pixel = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int64_t p = InputPosition(shape, axis, position[axis], at[axis],
                                      image.size[axis]);
      pixel = pixel < 0 || p < 0 ? -1 : pixel * image.size[axis] + p;
    }
    for (int64_t c = 0; c < group_inputs; ++c) {
      const int64_t input = group * group_inputs + c;
      const int32_t a = pixel < 0
                            ? plan.activation_zero_point
                            : image.data[pixel * shape.in_channels + input];
      const int64_t row = shape.transposed
                              ? input * group_outputs + channel % group_outputs
                              : channel * group_inputs + c;
      sum.Add(a * weights[row * taps + tap]);
      row_sum += static_cast<uint32_t>(a);
    }
  }
  WriteOutput(ViewOutput(plan, 0), channel, sum.Total(),
              static_cast<int32_t>(row_sum), out, index);
}

}  // namespace

void ConvReference(const uint8_t* input, int64_t batch, const Dims& size,
                   const ConvShape& shape, const int8_t* weights,
                   SaturationMode mode, const OutputPlan& plan, void* out) {
  const bool saturates = ConvSaturates(shape, mode);
  const Dims outputs = ConvOutput(shape, size);
  int64_t index = 0;
  for (int64_t b = 0; b < batch; ++b) {
    const Image image = {
        input + b * size[0] * size[1] * size[2] * shape.in_channels, size};
    for (int64_t d = 0; d < outputs[0]; ++d) {
      for (int64_t h = 0; h < outputs[1]; ++h) {
        for (int64_t w = 0; w < outputs[2]; ++w) {
          for (int64_t channel = 0; channel < shape.out_channels; ++channel) {
            Compute(image, shape, weights, saturates, plan, {d, h, w}, channel,
                    out, index++);
          }
        }
      }
    }
  }
}

}  // namespace ns::kernels
