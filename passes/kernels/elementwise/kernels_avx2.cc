#include "passes/kernels/elementwise/kernels.h"
#include "passes/kernels/elementwise/simd_kernels.h"
#include "passes/kernels/simd/avx2.h"

namespace ns::kernels {

const ElementwiseKernels kAvx2Elementwise = SimdElementwise<Avx2>();

}  // namespace ns::kernels
