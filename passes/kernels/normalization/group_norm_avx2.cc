#include "passes/kernels/normalization/group_norm_kernels.h"
#include "passes/kernels/normalization/group_norm_simd.h"
#include "passes/kernels/simd/avx2.h"

namespace ns::kernels {

const GroupNormKernels kAvx2GroupNorm = SimdGroupNorm<Avx2>();

}  // namespace ns::kernels
