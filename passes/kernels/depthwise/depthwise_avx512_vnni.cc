#include "passes/kernels/depthwise/depthwise_kernels.h"
#include "passes/kernels/depthwise/depthwise_simd.h"
#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/depthwise/lane_vectors_avx512.h"

namespace ns::kernels {
namespace {

struct Avx512Vnni : Avx512 {
  static constexpr bool kHas3x3 = true;
  static Ints Dot(Ints sum, Ints a, Ints b) {
    return _mm512_dpbusd_epi32(sum, a, b);
  }
};

}  // namespace

void DepthwiseAvx512Vnni(const LaneStrip& strip) {
  DepthwiseStrip<Avx512Vnni, DotProducts<Avx512Vnni>>(strip);
}

}  // namespace ns::kernels
