#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/grouped/grouped_kernels.h"
#include "passes/kernels/grouped/grouped_simd.h"
#include "passes/kernels/simd/avx512.h"

namespace ns::kernels {

void GroupedAvx512(const LaneStrip& strip) {
  GroupedStripOf<Avx512, WideProducts<Avx512>>(strip);
}

}  // namespace ns::kernels
