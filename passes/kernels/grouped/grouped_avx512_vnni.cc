#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/depthwise/lane_vectors_avx512.h"
#include "passes/kernels/grouped/grouped_kernels.h"
#include "passes/kernels/grouped/grouped_simd.h"

namespace ns::kernels {
namespace {

struct Avx512Vnni : Avx512 {
  static Ints Dot(Ints sum, Ints a, Ints b) {
    return _mm512_dpbusd_epi32(sum, a, b);
  }
};

}  // namespace

void GroupedAvx512Vnni(const LaneStrip& strip) {
  GroupedStripOf<Avx512Vnni, DotProducts<Avx512Vnni>>(strip);
}

}  // namespace ns::kernels
