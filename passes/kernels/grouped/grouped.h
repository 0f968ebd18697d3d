// Computes quantized convolutions with few channels in each group, over
// channels-last tensors.
#ifndef PASSES_KERNELS_GROUPED_GROUPED_H_
#define PASSES_KERNELS_GROUPED_GROUPED_H_

#include <cstdint>

#include "passes/kernels/conv_shape.h"
#include "passes/kernels/grouped/packed_grouped.h"
#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {

// `input` is [batch][depth][height][width][channels] and `out` the same with
// the size of the output, of the plan's type, both dense; `size` is of the
// input. What lies outside the input is the activations' zero point, which the
// plan was made with. `out` may not overlap the input.
//
// When GemmSaturates(mode), sums saturate in pairs of neighbouring channels
// of a group: they are even in number, so that no pair crosses positions of the
// kernel.
void Grouped(const uint8_t* input, int64_t batch, const Dims& size,
             const PackedGrouped& weights, const OutputPlan& plan,
             SaturationMode mode, void* out, Parallel parallel);

// The reference: the definition, from weights as PackedGrouped takes them.
void GroupedReference(const uint8_t* input, int64_t batch, const Dims& size,
                      const ConvShape& shape, const int8_t* weights,
                      const OutputPlan& plan, SaturationMode mode, void* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GROUPED_GROUPED_H_
