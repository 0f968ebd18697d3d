#include "passes/kernels/depthwise/depthwise_kernels.h"
#include "passes/kernels/depthwise/depthwise_simd.h"
#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/simd/avx512.h"

namespace ns::kernels {

void DepthwiseAvx512(const LaneStrip& strip) {
  DepthwiseStrip<Avx512, WideProducts<Avx512>>(strip);
}

}  // namespace ns::kernels
