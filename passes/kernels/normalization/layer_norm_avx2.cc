#include "passes/kernels/normalization/layer_norm_kernels.h"
#include "passes/kernels/normalization/layer_norm_simd.h"
#include "passes/kernels/simd/avx2.h"

namespace ns::kernels {

const LayerNormKernels kAvx2LayerNorm = SimdLayerNorm<Avx2>();

}  // namespace ns::kernels
