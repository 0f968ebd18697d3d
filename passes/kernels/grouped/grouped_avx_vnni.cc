#include "passes/kernels/depthwise/lane_products.h"
#include "passes/kernels/grouped/grouped_kernels.h"
#include "passes/kernels/grouped/grouped_simd.h"
#include "passes/kernels/simd/avx_vnni.h"

namespace ns::kernels {

void GroupedAvxVnni(const LaneStrip& strip) {
  GroupedStripOf<AvxVnni, DotProducts<AvxVnni>>(strip);
}

}  // namespace ns::kernels
