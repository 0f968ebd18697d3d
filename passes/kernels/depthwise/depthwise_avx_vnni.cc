#include "passes/kernels/depthwise/depthwise_kernels.h"
#include "passes/kernels/depthwise/depthwise_simd.h"
#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/depthwise/lane_vectors_avx2.h"

namespace ns::kernels {
namespace {

struct AvxVnni : Avx2 {
  static Ints Dot(Ints sum, Ints a, Ints b) {
    return _mm256_dpbusd_avx_epi32(sum, a, b);
  }
};

}  // namespace

void DepthwiseAvxVnni(const LaneStrip& strip) {
  DepthwiseStrip<AvxVnni, DotProducts<AvxVnni>>(strip);
}

}  // namespace ns::kernels
