#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/grouped/grouped_kernels.h"
#include "passes/kernels/grouped/grouped_simd.h"
#include "passes/kernels/simd/avx512_vnni.h"

namespace ns::kernels {

void GroupedAvx512Vnni(const LaneStrip& strip) {
  GroupedStripOf<Avx512Vnni, DotProducts<Avx512Vnni>>(strip);
}

}  // namespace ns::kernels
