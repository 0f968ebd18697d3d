#include "passes/kernels/normalization/group_norm_kernels.h"
#include "passes/kernels/normalization/group_norm_simd.h"
#include "passes/kernels/simd/avx512.h"

namespace ns::kernels {

const GroupNormKernels kAvx512GroupNorm = SimdGroupNorm<Avx512>();

}  // namespace ns::kernels
