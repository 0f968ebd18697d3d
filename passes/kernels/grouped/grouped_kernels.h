// Declares the kernels of grouped convolutions, one for each instruction set.
#ifndef PASSES_KERNELS_GROUPED_GROUPED_KERNELS_H_
#define PASSES_KERNELS_GROUPED_GROUPED_KERNELS_H_

#include "passes/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

// The strip has weights as PackedGrouped documents them.
void GroupedAvx2(const LaneStrip& strip);
void GroupedAvxVnni(const LaneStrip& strip);
void GroupedAvx512(const LaneStrip& strip);
void GroupedAvx512Vnni(const LaneStrip& strip);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GROUPED_GROUPED_KERNELS_H_
