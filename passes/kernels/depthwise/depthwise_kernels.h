// Declares the depthwise kernels, one for each instruction set.
#ifndef PASSES_KERNELS_DEPTHWISE_DEPTHWISE_KERNELS_H_
#define PASSES_KERNELS_DEPTHWISE_DEPTHWISE_KERNELS_H_

#include "passes/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

// The strip has weights as PackedDepthwise documents them, and 4 * quads rows
// of inputs.
void DepthwiseAvx2(const LaneStrip& strip);
void DepthwiseAvxVnni(const LaneStrip& strip);
void DepthwiseAvx512(const LaneStrip& strip);
void DepthwiseAvx512Vnni(const LaneStrip& strip);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_DEPTHWISE_KERNELS_H_
