#include <algorithm>

#include "passes/kernels/grouped/grouped.h"

namespace ns::kernels {
namespace {

// The sums of one output, before zero points are corrected for, and of its
// inputs. `corner` is where the window begins, `channel` the group's first.
struct Sums {
  int32_t products = 0;
  int32_t inputs = 0;
};

Sums SumWindow(const uint8_t* input, const Dims& size, const ConvShape& shape,
               const int8_t* weights, int64_t channel, const Dims& corner,
               int32_t zero_point, bool saturates) {
  Sums sums;
  const auto [depth, height, width] = shape.kernel;
  const int64_t positions = depth * height * width;
  for (int64_t position = 0; position < positions; ++position) {
    const Dims in_kernel = {position / (height * width),
                            position / width % height, position % width};
    int64_t pixel = 0;
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
      const int64_t at = corner[i] + in_kernel[i] * shape.dilation[i];
      inside = inside && at >= 0 && at < size[i];
      pixel = pixel * size[i] + at;
    }
    const auto value = [&](int64_t i) -> int32_t {
      return inside ? input[pixel * shape.in_channels + channel + i]
                    : zero_point;
    };
    for (int64_t i = 0; i < shape.in_channels / shape.groups; i += 2) {
      const int32_t pair =
          value(i) * weights[i * positions + position] +
          value(i + 1) * weights[(i + 1) * positions + position];
      sums.products += saturates ? std::clamp(pair, -32768, 32767) : pair;
      sums.inputs += value(i) + value(i + 1);
    }
  }
  return sums;
}

}  // namespace

void GroupedReference(const uint8_t* input, int64_t batch, const Dims& size,
                      const ConvShape& shape, const int8_t* weights,
                      const OutputPlan& plan, SaturationMode mode, void* out) {
  const OutputView view = ViewOutput(plan, 0);
  const Dims output = ConvOutput(shape, size);
  const int64_t channels = shape.in_channels / shape.groups;
  const int64_t k =
      channels * shape.kernel[0] * shape.kernel[1] * shape.kernel[2];
  const int64_t image = size[0] * size[1] * size[2] * shape.in_channels;
  const int64_t pixels = output[0] * output[1] * output[2];
  for (int64_t pixel = 0; pixel < batch * pixels; ++pixel) {
    const Dims at = {pixel % pixels / (output[1] * output[2]),
                     pixel / output[2] % output[1], pixel % output[2]};
    Dims corner;
    for (int i = 0; i < 3; ++i) {
      corner[i] = at[i] * shape.stride[i] - shape.padding[i];
    }
    for (int64_t channel = 0; channel < shape.out_channels; ++channel) {
      const Sums sums =
          SumWindow(input + pixel / pixels * image, size, shape,
                    weights + channel * k, channel / channels * channels,
                    corner, plan.activation_zero_point, GemmSaturates(mode));
      WriteOutput(view, channel, sums.products, sums.inputs, out,
                  pixel * shape.out_channels + channel);
    }
  }
}

}  // namespace ns::kernels
