// Describes a convolution apart from its weights: channels, groups, kernel,
// stride, padding and dilation.
#ifndef PASSES_KERNELS_CONV_SHAPE_H_
#define PASSES_KERNELS_CONV_SHAPE_H_

#include <array>
#include <cstdint>

namespace ns::kernels {

// Depth, height, width. For a 2d convolution, the depth is 1; for a 1d one, the
// height is, too. In padding and output_padding, it is 0 instead.
using Dims = std::array<int64_t, 3>;

// A convolution without its weights and its input. `groups` divides both
// channel counts. Kernel sizes, strides and dilations are at least 1, paddings
// are not negative, and all of these are below 2^31.
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
  // Of a transposed convolution only, and below its stride or its dilation.
  Dims output_padding = {0, 0, 0};
  // Whether it is a 3d convolution, also where the depth of its kernel is 1.
  bool is_3d = false;
};

// Returns one phrase that says what is wrong with `shape`; null when nothing
// is.
const char* InvalidConv(const ConvShape& shape);

// Returns the size of the output for an input of size `input`, which has no
// negative element. `shape` must be valid (InvalidConv). The caller must check
// the result: an element of it that is 0 or negative means that there is no
// output. Then the padded input is smaller than the kernel, or the padding of a
// transposed convolution takes everything away.
Dims ConvOutput(const ConvShape& shape, const Dims& input);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_SHAPE_H_
