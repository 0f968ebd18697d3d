#include "passes/kernels/elementwise/kernels.h"
#include "passes/kernels/elementwise/simd_avx512.h"
#include "passes/kernels/elementwise/simd_kernels.h"

namespace ns::kernels {

const ElementwiseKernels kAvx512Elementwise = SimdElementwise<Avx512>();

}  // namespace ns::kernels
