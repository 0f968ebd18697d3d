// Bounds the sums of two neighbouring products that the weights of a layer can
// lead to, and so tells whether they can saturate.
#ifndef PASSES_KERNELS_CONV_PAIR_SUMS_H_
#define PASSES_KERNELS_CONV_PAIR_SUMS_H_

#include <cstdint>

#include "passes/kernels/conv_shape.h"

namespace ns::kernels {

// Bounds over all inputs whose quantized values are 0 to some highest one.
struct PairSumBounds {
  // Output channels, and those of them in which a pair sum can leave the range
  // of s16.
  int64_t channels = 0;
  int64_t leaving_channels = 0;
  // The lowest and the highest pair sum there can be: 0 or less, 0 or more.
  int32_t lowest = 0;
  int32_t highest = 0;

  // The one of the two that is farther from 0.
  int32_t Worst() const { return -lowest > highest ? lowest : highest; }
};

// The bounds of the pairs that saturation_mode.h pairs up, from weights alone:
//
//   highest = max over pairs of highest_value * (max(b0, 0) + max(b1, 0))
//
// and `lowest` likewise. `weights` is dense, in LibTorch's order, as PackedConv
// takes it. A linear layer is a convolution of one position.
//
// Quantized values include the zero point, which stands for what lies outside
// of the input: a pair that meets it in every output may not reach its bound
// with the zero point a model has.
PairSumBounds BoundPairSums(const ConvShape& shape, const int8_t* weights,
                            int32_t highest_value = 255);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_CONV_PAIR_SUMS_H_
