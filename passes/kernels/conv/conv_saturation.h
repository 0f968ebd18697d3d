// Says in which convolutions the int16 pair sums of fbgemm saturate.
#ifndef PASSES_KERNELS_CONV_CONV_SATURATION_H_
#define PASSES_KERNELS_CONV_CONV_SATURATION_H_

#include "passes/kernels/conv_shape.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {

// Whether fbgemm has a depthwise kernel for `shape`: one or two outputs for
// each channel, a multiple of 8 of them, kernels of 3, 5 or 7 in all
// dimensions, as wide as high, padded to keep the size, strides of 1 or 2, no
// dilation, not transposed. A depth of 1 makes it two-dimensional. All other
// convolutions are GEMMs to it, in what they saturate.
bool IsFbgemmDepthwise(const ConvShape& shape);

// Whether pair sums saturate in a convolution of `shape`.
bool ConvSaturates(const ConvShape& shape, SaturationMode mode);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_CONV_SATURATION_H_
