// Describes a convolution apart from its weights: channels, groups, kernel,
// stride, padding and dilation.
#ifndef PASSES_KERNELS_CONV_SHAPE_H_
#define PASSES_KERNELS_CONV_SHAPE_H_

#include <array>
#include <cstdint>

namespace ns::kernels {

// Depth, height, width. Convolutions of fewer dimensions have leading ones (of
// padding and output padding: zeros).
using Dims = std::array<int64_t, 3>;

// What a convolution is, whatever it is given. `groups` divides both channel
// counts; sizes, strides and dilations are at least 1, paddings not negative.
struct ConvShape {
  int64_t groups = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  Dims kernel = {1, 1, 1};
  Dims stride = {1, 1, 1};
  Dims padding = {0, 0, 0};
  Dims dilation = {1, 1, 1};
  // Whether it is a transposed convolution.
  bool transposed = false;
  Dims output_padding = {0, 0, 0};
};

// Says in one phrase what is wrong with `shape`; null when nothing is.
const char* InvalidConv(const ConvShape& shape);

// The size of the output for an input of that size. No element may be
// negative; where one is, the input is smaller than the kernel.
Dims ConvOutput(const ConvShape& shape, const Dims& input);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_SHAPE_H_
