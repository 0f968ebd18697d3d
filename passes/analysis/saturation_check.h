// Tells which layers on ns kernels (FbgemmLayer) can saturate, from their
// weights alone.
#ifndef PASSES_ANALYSIS_SATURATION_CHECK_H_
#define PASSES_ANALYSIS_SATURATION_CHECK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/kernels/saturation_mode.h"
#include "passes/runtime/fbgemm_ops/fbgemm_layer.h"

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

// How near a layer is to saturation. What saturates is a pair sum: the int16
// sum of two neighbouring products (kernels/saturation_mode.h).
struct SaturationCheck {
  // The number of output channels, and how many of them can saturate. A channel
  // can if, for some quantized input, a pair sum is out of the range of int16,
  // and the saturation mode does not compute it exactly.
  int64_t channels = 0;
  int64_t saturating_channels = 0;
  // The exact pair sum that is farthest from 0, over all channels and all
  // possible quantized inputs. Also set when nothing saturates.
  int32_t worst_pair_sum = 0;

  bool IsPossible() const { return saturating_channels > 0; }
};

// Checks `layer` as if its saturation mode were `numerics`, for quantized
// inputs from 0 to `highest_input`.
SaturationCheck CheckSaturation(const FbgemmLayer& layer,
                                kernels::SaturationMode numerics,
                                int32_t highest_input = 255);

// Checks the layer that `node` calls (LayerOf), in the saturation mode that it
// has. For a dynamic op with a constant `reduce_range` of true, the highest
// quantized input is 128 (rounding the zero point can add 1 to 127), otherwise
// 255. Returns nothing for other nodes.
std::optional<SaturationCheck> CheckSaturation(const torch::jit::Node& node);

// Returns the layer that `node` takes as its second input, a constant
// FbgemmConv or FbgemmLinear; nothing for other nodes.
std::optional<FbgemmLayer> LayerOf(const torch::jit::Node& node);

// A node that calls a layer, and the result for that layer.
struct CheckedNode {
  torch::jit::Node* node = nullptr;
  SaturationCheck check;
};

// Checks all layers on ns kernels in `graph`, also inside prim::If and
// prim::Loop, in order of execution.
std::vector<CheckedNode> CheckSaturation(torch::jit::Graph& graph);

}  // namespace ns

#endif  // PASSES_ANALYSIS_SATURATION_CHECK_H_
