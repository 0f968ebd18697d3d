// The inner loops of group normalization in one instruction set.
#ifndef PASSES_KERNELS_NORMALIZATION_GROUP_NORM_KERNELS_H_
#define PASSES_KERNELS_NORMALIZATION_GROUP_NORM_KERNELS_H_

#include <cstdint>

#include "passes/kernels/normalization/code_moments.h"

namespace ns::kernels {

// QuantizeCode(fma(code - mean, factor, bias), multiplier, zero_point), with
// what is before multiplier either of each code or of all.
struct ChannelNormalization {
  const float* means;
  const float* factors;
  const float* biases;
  float multiplier;
  int32_t zero_point;
};

struct GroupNormKernels {
  CodeSums (*sum)(const uint8_t* codes, int64_t n);
  // Of `n` codes, all by means[0] and so on.
  void (*normalize_alike)(const uint8_t* codes, int64_t n,
                          const ChannelNormalization& by, uint8_t* out);
  // Of `n` codes, code i by means[i] and so on.
  void (*normalize_each)(const uint8_t* codes, int64_t n,
                         const ChannelNormalization& by, uint8_t* out);
  // Adds up lines of `n` codes: to sums[i] what is at i of each line, and to
  // squares[i] its square. None may reach 2^32.
  void (*add_lines)(const uint8_t* codes, int64_t lines, int64_t n,
                    uint32_t* sums, uint32_t* squares);
};

extern const GroupNormKernels kAvx2GroupNorm;
extern const GroupNormKernels kAvx512GroupNorm;

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_GROUP_NORM_KERNELS_H_
