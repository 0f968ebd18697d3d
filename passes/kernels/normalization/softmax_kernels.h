// Declares the inner loops of softmax.
#ifndef PASSES_KERNELS_NORMALIZATION_SOFTMAX_KERNELS_H_
#define PASSES_KERNELS_NORMALIZATION_SOFTMAX_KERNELS_H_

#include <cstdint>

namespace ns::kernels {

// The number of partial sums, and of elements of each of the two tables.
constexpr int kSoftmaxSums = 32;
constexpr int kExponentials = 16;

// The constants of a call; see Softmax.
struct SoftmaxConstants {
  float high[kExponentials];
  float low[kExponentials];
  float output_scale;
  int32_t output_zero_point;
};

using SoftmaxKernel = void (*)(const uint8_t* quantized, int64_t rows,
                               int64_t n, const SoftmaxConstants& constants,
                               uint8_t* out);

void SoftmaxAvx2(const uint8_t* quantized, int64_t rows, int64_t n,
                 const SoftmaxConstants& constants, uint8_t* out);
void SoftmaxAvx512(const uint8_t* quantized, int64_t rows, int64_t n,
                   const SoftmaxConstants& constants, uint8_t* out);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_SOFTMAX_KERNELS_H_
