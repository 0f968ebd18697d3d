// Finds how large the sums of two neighbouring products of a layer can get with
// its weights, and so whether they can saturate in 16 bits.
#ifndef PASSES_KERNELS_CONV_PAIR_SUMS_H_
#define PASSES_KERNELS_CONV_PAIR_SUMS_H_

#include <cstdint>

#include "passes/kernels/conv_shape.h"

namespace ns::kernels {

// Bounds of the sums over all inputs whose quantized values are from 0 to a
// given highest value.
struct PairSumBounds {
  // How many output channels there are, and in how many of them a pair sum can
  // leave the range of s16, and so saturate.
  int64_t channels = 0;
  int64_t leaving_channels = 0;
  // The lowest and the highest pair sum there can be: 0 or less, 0 or more.
  int32_t lowest = 0;
  int32_t highest = 0;

  // The one of the two that is farther from 0.
  int32_t Worst() const { return -lowest > highest ? lowest : highest; }
};

// Returns the bounds for the pairs that saturation_mode.h describes, from the
// weights alone. b0 and b1 are the two weights of a pair:
//
//   highest = max over pairs of highest_value * (max(b0, 0) + max(b1, 0))
//
// and `lowest` likewise, with min. `weights` is dense, in LibTorch's order, as
// PackedConv (conv.h) takes it. For a linear layer, take a `shape` whose kernel
// is 1 in all dimensions. `highest_value` is 255 for quint8, and 127 with
// reduce_range.
//
// What lies outside the input, as padding, has the zero point as its quantized
// value, which the bounds do not know. So a pair that meets padding in every
// output may never reach its bound.
PairSumBounds BoundPairSums(const ConvShape& shape, const int8_t* weights,
                            int32_t highest_value = 255);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_PAIR_SUMS_H_
