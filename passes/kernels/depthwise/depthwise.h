// Computes depthwise quantized convolutions over channels-last tensors.
#ifndef PASSES_KERNELS_DEPTHWISE_DEPTHWISE_H_
#define PASSES_KERNELS_DEPTHWISE_DEPTHWISE_H_

#include <cstdint>

#include "passes/kernels/conv_shape.h"
#include "passes/kernels/depthwise/packed_depthwise.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {

// `input` is [batch][depth][height][width][channels] and `out` the same with
// the size of the output, of the plan's type, both dense; `size` is of the
// input. What lies outside the input is the activations' zero point, which the
// plan was made with. `out` may not overlap the input.
//
// When DepthwiseSaturates(mode), sums saturate in pairs of taps (2i,
// 2i + 1), counted in the order (depth, height, width) of the kernel. fbgemm's
// do so only in shapes it has depthwise kernels for: that is up to the caller.
// Activations that cannot saturate with these weights, such as those below 128,
// take hardly longer than exact ones.
void Depthwise(const uint8_t* input, int64_t batch, const Dims& size,
               const PackedDepthwise& weights, const OutputPlan& plan,
               SaturationMode mode, void* out, Parallel parallel);

// The reference: the definition, from weights as PackedDepthwise takes them.
void DepthwiseReference(const uint8_t* input, int64_t batch, const Dims& size,
                        const ConvShape& shape, const int8_t* weights,
                        const OutputPlan& plan, SaturationMode mode, void* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_DEPTHWISE_H_
