#include "passes/kernels/elementwise/kernels.h"
#include "passes/kernels/elementwise/simd_avx2.h"
#include "passes/kernels/elementwise/simd_kernels.h"

namespace ns::kernels {

const ElementwiseKernels kAvx2Elementwise = SimdElementwise<Avx2>();

}  // namespace ns::kernels
