#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/depthwise/lane_vectors_avx2.h"
#include "passes/kernels/grouped/grouped_kernels.h"
#include "passes/kernels/grouped/grouped_simd.h"

namespace ns::kernels {
namespace {

struct AvxVnni : Avx2 {
  static Ints Dot(Ints sum, Ints a, Ints b) {
    return _mm256_dpbusd_avx_epi32(sum, a, b);
  }
};

}  // namespace

void GroupedAvxVnni(const LaneStrip& strip) {
  GroupedStripOf<AvxVnni, DotProducts<AvxVnni>>(strip);
}

}  // namespace ns::kernels
