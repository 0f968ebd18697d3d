#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/grouped/grouped_kernels.h"
#include "passes/kernels/grouped/grouped_simd.h"
#include "passes/kernels/simd/avx2.h"

namespace ns::kernels {

void GroupedAvx2(const LaneStrip& strip) {
  GroupedStripOf<Avx2, WideProducts<Avx2>>(strip);
}

}  // namespace ns::kernels
