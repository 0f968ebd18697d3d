#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/depthwise/lane_vectors_avx2.h"
#include "passes/kernels/grouped/grouped_kernels.h"
#include "passes/kernels/grouped/grouped_simd.h"

namespace ns::kernels {

void GroupedAvx2(const LaneStrip& strip) {
  GroupedStripOf<Avx2, WideProducts<Avx2>>(strip);
}

}  // namespace ns::kernels
