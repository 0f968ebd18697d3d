#include "passes/kernels/depthwise/depthwise_kernels.h"
#include "passes/kernels/depthwise/depthwise_simd.h"
#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/simd/avx512_vnni.h"

namespace ns::kernels {

void DepthwiseAvx512Vnni(const LaneStrip& strip) {
  DepthwiseStrip<Avx512Vnni, DotProducts<Avx512Vnni>>(strip);
}

}  // namespace ns::kernels
