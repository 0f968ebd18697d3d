// Computes one phase of a convolution (conv_phase.h) by GEMMs.
#ifndef PASSES_KERNELS_CONV_PHASE_GEMM_H_
#define PASSES_KERNELS_CONV_PHASE_GEMM_H_

#include <cstdint>

#include "passes/kernels/conv/phase_weights.h"
#include "passes/kernels/conv_shape.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {

// Computes the outputs of one phase of the convolution `shape`: those that
// weights.phase() (conv_phase.h) says. It writes them to their places in `out`,
// which has all outputs of the convolution, and leaves the others as they are.
// A convolution that is not transposed is one phase.
//
// `input`, `batch`, `size` (of the input), `plan` and `out` are as Conv
// (conv.h) takes them: of the whole convolution. `outputs` is
// ConvOutput(shape, size), or more: what lies outside the input counts as the
// zero point. `weights` is made of `shape`; its `saturates` is
// GemmSaturates(mode).
//
// `row_elements` is the number of elements in a row of `out`: outputs[2] *
// shape.out_channels, or less where the ends of rows are left out, as of rows
// that were rounded up. It may be less only if the convolution is not
// transposed and has one group.
void ConvByGemm(const uint8_t* input, int64_t batch, const Dims& size,
                const ConvShape& shape, const PhaseWeights& weights,
                const OutputPlan& plan, SaturationMode mode,
                const Dims& outputs, void* out, int64_t row_elements,
                Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_PHASE_GEMM_H_
