#include "passes/kernels/conv/conv_saturation.h"

namespace ns::kernels {
namespace {

bool IsFbgemmDepthwiseKernel(int64_t size) {
  return size == 3 || size == 5 || size == 7;
}

}  // namespace

bool IsFbgemmDepthwise(const ConvShape& shape) {
  if (shape.transposed || shape.groups != shape.in_channels ||
      shape.groups % 8 != 0 ||
      (shape.out_channels != shape.groups &&
       shape.out_channels != 2 * shape.groups) ||
      shape.kernel[1] != shape.kernel[2] ||
      !IsFbgemmDepthwiseKernel(shape.kernel[2]) ||
      ((shape.is_3d || shape.kernel[0] != 1) &&
       !IsFbgemmDepthwiseKernel(shape.kernel[0]))) {
    return false;
  }
  for (int i = 0; i < 3; ++i) {
    if (shape.stride[i] > 2 || shape.dilation[i] != 1 ||
        shape.padding[i] != (shape.kernel[i] - 1) / 2) {
      return false;
    }
  }
  return true;
}

bool ConvSaturates(const ConvShape& shape, SaturationMode mode) {
  return IsFbgemmDepthwise(shape) ? DepthwiseSaturates(mode)
                                  : GemmSaturates(mode);
}

}  // namespace ns::kernels
