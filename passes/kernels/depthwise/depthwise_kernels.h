// The kernels of depthwise convolutions, one for each instruction set. Call
// Depthwise (passes/kernels/depthwise/depthwise.h), which chooses one.
#ifndef PASSES_KERNELS_DEPTHWISE_DEPTHWISE_KERNELS_H_
#define PASSES_KERNELS_DEPTHWISE_DEPTHWISE_KERNELS_H_

#include "passes/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

// Compute the outputs of `strip` and write them to the rows of strip.output.
// strip.weights is what PackedDepthwise::PackedWeights (packed_depthwise.h)
// returns for the block, and strip.input has 4 * PackedDepthwise::quads() rows.
// strip.group_channels is 1. A kernel may only be called where IsSupported
// (passes/kernels/isa.h) is true of its instruction set.
void DepthwiseAvx2(const LaneStrip& strip);
void DepthwiseAvxVnni(const LaneStrip& strip);
void DepthwiseAvx512(const LaneStrip& strip);
void DepthwiseAvx512Vnni(const LaneStrip& strip);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_DEPTHWISE_KERNELS_H_
