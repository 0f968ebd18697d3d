#include "passes/kernels/grouped/grouped.h"

#include "passes/kernels/depthwise/lane_conv.h"
#include "passes/kernels/grouped/grouped_kernels.h"
#include "passes/kernels/isa.h"

namespace ns::kernels {
namespace {

using Kernel = void (*)(const LaneStrip& strip);

Kernel KernelOf(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return nullptr;
    case Isa::kAvx2:
      return GroupedAvx2;
    case Isa::kAvxVnni:
      return GroupedAvxVnni;
    case Isa::kAvx512:
      return GroupedAvx512;
    case Isa::kAvx512Vnni:
    case Isa::kAmx:
      return GroupedAvx512Vnni;
  }
  return nullptr;
}

}  // namespace

void Grouped(const uint8_t* input, int64_t batch, const Dims& size,
             const PackedGrouped& weights, const OutputPlan& plan,
             Numerics numerics, void* out, Parallel parallel) {
  const Kernel kernel = KernelOf(ChosenIsa());
  if (kernel == nullptr) {
    GroupedReference(input, batch, size, weights.shape(), weights.weights(),
                     plan, numerics, out);
    return;
  }
  const auto weights_of = [&](int64_t block) {
    return weights.PackedWeights(block);
  };
  // A step of rows, widened or not, takes at most 512 bytes.
  ConvLanes({input, batch, size, weights.shape(), plan, out, weights.blocks(),
             weights_of, GemmSaturates(numerics), weights.output_rows(),
             weights.window_steps() * weights.step_rows(),
             weights.window_steps() * 512},
            kernel, parallel);
}

}  // namespace ns::kernels
