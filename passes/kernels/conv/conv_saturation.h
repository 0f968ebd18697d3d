// Says in which convolutions the int16 pair sums of fbgemm saturate.
#ifndef PASSES_KERNELS_CONV_CONV_SATURATION_H_
#define PASSES_KERNELS_CONV_CONV_SATURATION_H_

#include "passes/kernels/conv_shape.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {

// Whether fbgemm has a depthwise kernel for `shape`: as many groups as input
// channels, a multiple of 8; one or two output channels for each; a kernel of
// 3, 5 or 7 in all dimensions, as wide as high; padding of (kernel - 1) / 2;
// strides of 1 or 2; no dilation; not transposed. A 3d convolution whose kernel
// has depth 1 is none of these. All other convolutions saturate as GEMMs do.
bool IsFbgemmDepthwise(const ConvShape& shape);

// Whether pair sums saturate in a convolution of `shape`.
bool ConvSaturates(const ConvShape& shape, SaturationMode mode);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_CONV_SATURATION_H_
