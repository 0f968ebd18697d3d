// Computes a convolution with few output channels by GEMMs, several
// neighbouring outputs of a row at once (band_weights.h).
#ifndef PASSES_KERNELS_CONV_BAND_GEMM_H_
#define PASSES_KERNELS_CONV_BAND_GEMM_H_

#include <cstdint>

#include "passes/kernels/conv/band_weights.h"
#include "passes/kernels/conv_shape.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/parallel.h"

namespace ns::kernels {

// Computes all outputs of the convolution that `weights` was made from. Sums
// are exact on every instruction set.
//
// `input`, `batch`, `size` (of the input), `plan` and `out` are as Conv
// (conv.h) takes them, and `outputs` is the size of the output: depth, height
// and width. The plan must not have weight zero points.
void ConvByBands(const uint8_t* input, int64_t batch, const Dims& size,
                 const BandWeights& weights, const OutputPlan& plan,
                 const Dims& outputs, void* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_BAND_GEMM_H_
