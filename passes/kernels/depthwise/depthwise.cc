#include "passes/kernels/depthwise/depthwise.h"

#include "passes/kernels/depthwise/depthwise_kernels.h"
#include "passes/kernels/depthwise/lane_conv.h"
#include "passes/kernels/isa.h"

namespace ns::kernels {
namespace {

using Kernel = void (*)(const LaneStrip& strip);

constexpr IsaTable<Kernel> kKernels = {
    {Isa::kAvx2, DepthwiseAvx2},
    {Isa::kAvxVnni, DepthwiseAvxVnni},
    {Isa::kAvx512, DepthwiseAvx512},
    {Isa::kAvx512Vnni, DepthwiseAvx512Vnni},
};

}  // namespace

void Depthwise(const uint8_t* input, int64_t batch, const Dims& size,
               const PackedDepthwise& weights, const OutputPlan& plan,
               SaturationMode mode, void* out, Parallel parallel) {
  const Kernel kernel = kKernels.Chosen();
  if (kernel == nullptr) {
    DepthwiseReference(input, batch, size, weights.shape(), weights.weights(),
                       plan, mode, out);
    return;
  }
  // A column of the window, widened or not, takes at most 512 bytes for four
  // of its rows.
  const auto weights_of = [&](int64_t block) {
    return weights.PackedWeights(block);
  };
  ConvLanes({input, batch, size, weights.shape(), plan, out, weights.blocks(),
             weights_of, DepthwiseSaturates(mode), weights.output_rows(),
             weights.quads() * 4, weights.quads() * 512},
            kernel, parallel);
}

}  // namespace ns::kernels
