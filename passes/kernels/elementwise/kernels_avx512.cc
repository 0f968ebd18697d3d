#include "passes/kernels/elementwise/kernels.h"
#include "passes/kernels/elementwise/simd_kernels.h"
#include "passes/kernels/simd/avx512.h"

namespace ns::kernels {

const ElementwiseKernels kAvx512Elementwise = SimdElementwise<Avx512>();

}  // namespace ns::kernels
