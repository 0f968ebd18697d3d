// Which layers of a lowered graph can saturate, from their weights alone.
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

// What saturates is the sum of two neighbouring products
// (kernels/saturation_mode.h).
struct SaturationCheck {
  // Output channels, and those in which a pair sum that saturates in the
  // layer's numerics can leave s16, whatever the codes it is given.
  int64_t channels = 0;
  int64_t saturating_channels = 0;
  // The pair sum, not saturated, that is the farthest from 0 for any codes: of
  // all channels, and also where it does not saturate.
  int32_t worst_pair_sum = 0;

  bool IsPossible() const { return saturating_channels > 0; }
};

// Of `layer` in `numerics`, for codes of 0 to `highest_code`.
SaturationCheck CheckSaturation(const FbgemmLayer& layer,
                                kernels::SaturationMode numerics,
                                int32_t highest_code = 255);

// Of the layer that `node` calls, in the numerics it has. Dynamic ops with
// `reduce_range` have no codes above 128. Nothing for other nodes.
std::optional<SaturationCheck> CheckSaturation(const torch::jit::Node& node);

// The layer that `node` calls; nothing for other nodes.
std::optional<FbgemmLayer> LayerOf(const torch::jit::Node& node);

struct CheckedNode {
  torch::jit::Node* node = nullptr;
  SaturationCheck check;
};

// Of all layers of ours in `graph`, inside prim::If and prim::Loop too, in
// order of execution.
std::vector<CheckedNode> CheckSaturation(torch::jit::Graph& graph);

}  // namespace ns

#endif  // PASSES_ANALYSIS_SATURATION_CHECK_H_
