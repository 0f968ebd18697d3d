#include "passes/kernels/normalization/softmax_kernels.h"
#include "passes/kernels/normalization/softmax_simd.h"
#include "passes/kernels/simd/avx2.h"

namespace ns::kernels {

void SoftmaxAvx2(const uint8_t* quantized, int64_t rows, int64_t n,
                 const SoftmaxConstants& constants, uint8_t* out) {
  SimdSoftmax<Avx2>(quantized, rows, n, constants, out);
}

}  // namespace ns::kernels
