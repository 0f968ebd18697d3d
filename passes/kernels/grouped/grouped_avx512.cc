#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/depthwise/lane_vectors_avx512.h"
#include "passes/kernels/grouped/grouped_kernels.h"
#include "passes/kernels/grouped/grouped_simd.h"

namespace ns::kernels {

void GroupedAvx512(const LaneStrip& strip) {
  GroupedStripOf<Avx512, WideProducts<Avx512>>(strip);
}

}  // namespace ns::kernels
