#include "passes/kernels/conv_shape.h"

#include <cstdint>

namespace ns::kernels {

const char* InvalidConv(const ConvShape& shape) {
  if (shape.groups < 1 || shape.in_channels < 1 || shape.out_channels < 1) {
    return "groups and channels are at least 1";
  }
  if (shape.in_channels % shape.groups != 0 ||
      shape.out_channels % shape.groups != 0) {
    return "groups do not divide the channels";
  }
  for (int i = 0; i < 3; ++i) {
    if (shape.kernel[i] < 1 || shape.stride[i] < 1 || shape.dilation[i] < 1) {
      return "kernel sizes, strides and dilations are at least 1";
    }
    // Sizes of outputs are worked out in 64 bits.
    constexpr int64_t kMost = INT32_MAX;
    if (shape.kernel[i] > kMost || shape.stride[i] > kMost ||
        shape.dilation[i] > kMost || shape.padding[i] > kMost ||
        shape.output_padding[i] > kMost) {
      return "kernel sizes, strides, dilations and paddings are below 2^31";
    }
    if (shape.padding[i] < 0 || shape.output_padding[i] < 0) {
      return "paddings are not negative";
    }
    if (shape.transposed ? shape.output_padding[i] >= shape.stride[i] &&
                               shape.output_padding[i] >= shape.dilation[i]
                         : shape.output_padding[i] != 0) {
      return "output padding is below the stride or dilation of a transposed "
             "convolution";
    }
  }
  return nullptr;
}

Dims ConvOutput(const ConvShape& shape, const Dims& input) {
  Dims output;
  for (int i = 0; i < 3; ++i) {
    const int64_t reach = shape.dilation[i] * (shape.kernel[i] - 1);
    if (shape.transposed) {
      output[i] = (input[i] - 1) * shape.stride[i] - 2 * shape.padding[i] +
                  reach + shape.output_padding[i] + 1;
      continue;
    }
    const int64_t last = input[i] + 2 * shape.padding[i] - reach - 1;
    output[i] = last < 0 ? last : last / shape.stride[i] + 1;
  }
  return output;
}

}  // namespace ns::kernels
