#include <algorithm>
#include <cstddef>

#include "passes/kernels/depthwise/depthwise.h"

namespace ns::kernels {
namespace {

// The sums of one output, before zero points are corrected for, and of its
// inputs. `corner` is where the window begins.
struct Sums {
  int32_t products = 0;
  int32_t inputs = 0;
};

Sums SumWindow(const uint8_t* input, const Dims& size, const ConvShape& shape,
               const int8_t* weights, int64_t channel, const Dims& corner,
               int32_t zero_point, bool saturates) {
  Sums sums;
  int32_t pair = 0;
  const auto add_pair = [&] {
    sums.products += saturates ? std::clamp(pair, -32768, 32767) : pair;
    pair = 0;
  };
  const auto [depth, height, width] = shape.kernel;
  for (int64_t tap = 0; tap < depth * height * width; ++tap) {
    const Dims in_kernel = {tap / (height * width), tap / width % height,
                            tap % width};
    int64_t pixel = 0;
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
      const int64_t at = corner[i] + in_kernel[i] * shape.dilation[i];
      inside = inside && at >= 0 && at < size[i];
      pixel = pixel * size[i] + at;
    }
    const int32_t value =
        inside ? input[pixel * shape.groups + channel] : zero_point;
    sums.inputs += value;
    pair += value * weights[tap];
    if (tap % 2 == 1) {
      add_pair();
    }
  }
  add_pair();
  return sums;
}

}  // namespace

void DepthwiseReference(const uint8_t* input, int64_t batch, const Dims& size,
                        const ConvShape& shape, const int8_t* weights,
                        const OutputPlan& plan, SaturationMode mode,
                        void* out) {
  const OutputView view = ViewOutput(plan, 0);
  const Dims output = ConvOutput(shape, size);
  const int64_t k = shape.kernel[0] * shape.kernel[1] * shape.kernel[2];
  const int64_t image = size[0] * size[1] * size[2] * shape.groups;
  const int64_t pixels = output[0] * output[1] * output[2];
  for (int64_t pixel = 0; pixel < batch * pixels; ++pixel) {
    const Dims at = {pixel % pixels / (output[1] * output[2]),
                     pixel / output[2] % output[1], pixel % output[2]};
    Dims corner;
    for (int i = 0; i < 3; ++i) {
      corner[i] = at[i] * shape.stride[i] - shape.padding[i];
    }
    for (int64_t channel = 0; channel < shape.groups; ++channel) {
      const Sums sums =
          SumWindow(input + pixel / pixels * image, size, shape,
                    weights + channel * k, channel, corner,
                    plan.activation_zero_point, DepthwiseSaturates(mode));
      WriteOutput(view, channel, sums.products, sums.inputs, out,
                  pixel * shape.groups + channel);
    }
  }
}

}  // namespace ns::kernels
