#include "passes/kernels/depthwise/depthwise_kernels.h"
#include "passes/kernels/depthwise/depthwise_simd.h"
#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/simd/avx2.h"

namespace ns::kernels {

void DepthwiseAvx2(const LaneStrip& strip) {
  DepthwiseStrip<Avx2, WideProducts<Avx2>>(strip);
}

}  // namespace ns::kernels
