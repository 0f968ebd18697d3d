#include "passes/kernels/grouped/grouped.h"

#include "passes/kernels/depthwise/lane_conv.h"
#include "passes/kernels/grouped/grouped_kernels.h"
#include "passes/kernels/isa.h"

namespace ns::kernels {
namespace {

using Kernel = void (*)(const LaneStrip& strip);

constexpr IsaTable<Kernel> kKernels = {
    {Isa::kAvx2, GroupedAvx2},
    {Isa::kAvxVnni, GroupedAvxVnni},
    {Isa::kAvx512, GroupedAvx512},
    {Isa::kAvx512Vnni, GroupedAvx512Vnni},
};

}  // namespace

void Grouped(const uint8_t* input, int64_t batch, const Dims& size,
             const PackedGrouped& weights, const OutputPlan& plan,
             SaturationMode mode, void* out, Parallel parallel) {
  const Kernel kernel = kKernels.Chosen();
  if (kernel == nullptr) {
    GroupedReference(input, batch, size, weights.shape(), weights.weights(),
                     plan, mode, out);
    return;
  }
  const auto weights_of = [&](int64_t block) {
    return weights.PackedWeights(block);
  };
  // A step of rows, widened or not, takes at most 512 bytes.
  ConvLanes({input, batch, size, weights.shape(), plan, out, weights.blocks(),
             weights_of, GemmSaturates(mode), weights.output_rows(),
             weights.window_steps() * weights.step_rows(),
             weights.window_steps() * 512},
            kernel, parallel);
}

}  // namespace ns::kernels
