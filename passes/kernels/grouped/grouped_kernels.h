// The kernels of grouped convolutions, one for each instruction set. Call
// Grouped (passes/kernels/grouped/grouped.h), which chooses one.
#ifndef PASSES_KERNELS_GROUPED_GROUPED_KERNELS_H_
#define PASSES_KERNELS_GROUPED_GROUPED_KERNELS_H_

#include "passes/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

// Compute the outputs of `strip` and write them to the rows of strip.output.
// strip.weights is what PackedGrouped::PackedWeights (packed_grouped.h) returns
// for the block: kernels read `narrow` or `wide`, and no others.
// strip.group_channels is 2, 4, 8 or 16. A kernel may only be called where
// IsSupported (passes/kernels/isa.h) is true of its instruction set.
void GroupedAvx2(const LaneStrip& strip);
void GroupedAvxVnni(const LaneStrip& strip);
void GroupedAvx512(const LaneStrip& strip);
void GroupedAvx512Vnni(const LaneStrip& strip);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GROUPED_GROUPED_KERNELS_H_
