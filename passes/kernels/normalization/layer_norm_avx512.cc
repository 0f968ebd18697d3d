#include "passes/kernels/normalization/layer_norm_kernels.h"
#include "passes/kernels/normalization/layer_norm_simd.h"
#include "passes/kernels/simd/avx512.h"

namespace ns::kernels {

const LayerNormKernels kAvx512LayerNorm = SimdLayerNorm<Avx512>();

}  // namespace ns::kernels
