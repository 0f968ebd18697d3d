// Tells which layers of a lowered graph can saturate, from their weights alone.
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

// How far a layer is from saturation. What saturates is the int16 sum of two
// neighbouring products, a pair sum (kernels/saturation_mode.h).
struct SaturationCheck {
  // The number of output channels, and of those that can saturate: some
  // quantized input takes a pair sum out of the range of int16, and the layer's
  // saturation mode does not compute this sum exactly.
  int64_t channels = 0;
  int64_t saturating_channels = 0;
  // The exact pair sum that is the farthest from 0, over all channels and all
  // quantized inputs, also when the layer does not saturate.
  int32_t worst_pair_sum = 0;

  bool IsPossible() const { return saturating_channels > 0; }
};

// Checks `layer` in the saturation mode `numerics`, for quantized inputs from 0
// to `highest_input`.
SaturationCheck CheckSaturation(const FbgemmLayer& layer,
                                kernels::SaturationMode numerics,
                                int32_t highest_input = 255);

// Checks the layer that `node` calls, in the saturation mode that it has.
// Dynamic ops with `reduce_range` have no quantized inputs above 128. Nothing
// for other nodes.
std::optional<SaturationCheck> CheckSaturation(const torch::jit::Node& node);

// Returns the ns layer that `node` calls; nothing for other nodes.
std::optional<FbgemmLayer> LayerOf(const torch::jit::Node& node);

// A node that calls a layer, and what was found of that.
struct CheckedNode {
  torch::jit::Node* node = nullptr;
  SaturationCheck check;
};

// Checks all ns layers in `graph`, inside prim::If and prim::Loop too, in order
// of execution.
std::vector<CheckedNode> CheckSaturation(torch::jit::Graph& graph);

}  // namespace ns

#endif  // PASSES_ANALYSIS_SATURATION_CHECK_H_
