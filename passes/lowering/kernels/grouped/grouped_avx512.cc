#include "passes/lowering/kernels/depthwise/lane_products.h"
#include "passes/lowering/kernels/depthwise/lane_vectors_avx512.h"
#include "passes/lowering/kernels/grouped/grouped_kernels.h"
#include "passes/lowering/kernels/grouped/grouped_simd.h"

namespace ns::kernels {

void GroupedAvx512(const LaneStrip& strip) {
  GroupedStripOf<Avx512, WideProducts<Avx512>>(strip);
}

}  // namespace ns::kernels
