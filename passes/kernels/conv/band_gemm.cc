#include "passes/kernels/conv/band_gemm.h"

#include "passes/kernels/conv/phase_gemm.h"
#include "passes/kernels/saturation_mode.h"

namespace ns::kernels {

void ConvByBands(const uint8_t* input, int64_t batch, const Dims& size,
                 const BandWeights& weights, const OutputPlan& plan,
                 const Dims& outputs, void* out, Parallel parallel) {
  const int64_t pixels = weights.pixels();
  // The last band may extend beyond the end of the row.
  const Dims bands = {outputs[0], outputs[1],
                      (outputs[2] + pixels - 1) / pixels};
  ConvByGemm(input, batch, size, weights.shape(), weights.weights(),
             weights.PlanBands(plan), SaturationMode::kExact, bands, out,
             outputs[2] * plan.channels, parallel);
}

}  // namespace ns::kernels
