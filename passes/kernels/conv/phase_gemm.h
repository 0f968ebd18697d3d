// Computes a phase of a convolution by means of GEMMs.
#ifndef PASSES_KERNELS_CONV_PHASE_GEMM_H_
#define PASSES_KERNELS_CONV_PHASE_GEMM_H_

#include <cstdint>

#include "passes/kernels/conv/phase_weights.h"
#include "passes/kernels/conv_shape.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {

// Writes the phase's outputs, as Conv does. `plan` is of the convolution,
// `outputs` its size; `mode` says whether GEMMs saturate.
void ConvByGemm(const uint8_t* input, int64_t batch, const Dims& size,
                const ConvShape& shape, const PhaseWeights& weights,
                const OutputPlan& plan, SaturationMode mode,
                const Dims& outputs, void* out, Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_PHASE_GEMM_H_
