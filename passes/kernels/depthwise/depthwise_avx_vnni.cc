#include "passes/kernels/depthwise/depthwise_kernels.h"
#include "passes/kernels/depthwise/depthwise_simd.h"
#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/simd/avx_vnni.h"

namespace ns::kernels {

void DepthwiseAvxVnni(const LaneStrip& strip) {
  DepthwiseStrip<AvxVnni, DotProducts<AvxVnni>>(strip);
}

}  // namespace ns::kernels
