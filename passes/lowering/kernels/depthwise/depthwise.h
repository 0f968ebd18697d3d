// Depthwise quantized convolutions over channels-last tensors.
#ifndef PASSES_LOWERING_KERNELS_DEPTHWISE_DEPTHWISE_H_
#define PASSES_LOWERING_KERNELS_DEPTHWISE_DEPTHWISE_H_

#include <cstdint>

#include "passes/lowering/kernels/conv/conv_shape.h"
#include "passes/lowering/kernels/depthwise/packed_depthwise.h"
#include "passes/lowering/kernels/numerics.h"
#include "passes/lowering/kernels/output_pipeline.h"
#include "passes/lowering/kernels/parallel.h"

namespace ns::kernels {

// `input` is [batch][depth][height][width][channels] and `out` the same with
// the size of the output, of the plan's type, both dense; `size` is of the
// input. What lies outside the input is the activations' zero point, which the
// plan was made with. `out` may not overlap the input.
//
// When DepthwiseSaturates(numerics), sums saturate in pairs of taps (2i,
// 2i + 1), counted in the order (depth, height, width) of the kernel. Weights
// and activations that cannot saturate, such as activations below 128, take no
// longer than exact ones.
void Depthwise(const uint8_t* input, int64_t batch, const Dims& size,
               const PackedDepthwise& weights, const OutputPlan& plan,
               Numerics numerics, void* out, Parallel parallel);

// The reference: the definition, from weights as PackedDepthwise takes them.
void DepthwiseReference(const uint8_t* input, int64_t batch, const Dims& size,
                        const ConvShape& shape, const int8_t* weights,
                        const OutputPlan& plan, Numerics numerics, void* out);

// Whose answers fbgemm gives to a depthwise convolution of that shape: only
// some have kernels of their own, which saturate on every processor. Others go
// by way of im2col, which with VNNI is exact. Apart from that, `numerics`.
Numerics FbgemmDepthwiseNumerics(const ConvShape& shape, Numerics numerics);

}  // namespace ns::kernels

#endif  // PASSES_LOWERING_KERNELS_DEPTHWISE_DEPTHWISE_H_
