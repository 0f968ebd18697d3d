#include "passes/analysis/saturation_check.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/graph/constant_argument.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/kernels/conv/conv_saturation.h"
#include "passes/kernels/conv/pair_sums.h"

namespace ns {
namespace {

using ::torch::jit::Node;

constexpr int32_t kHighestInput = 255;
// The highest quantized input of 7 bits: rounding the zero point may add one to
// 127.
constexpr int32_t kHighestReducedInput = 128;

int32_t HighestInput(const Node& node) {
  return IsArgumentTrue(node, "reduce_range") ? kHighestReducedInput
                                              : kHighestInput;
}

}  // namespace

SaturationCheck CheckSaturation(const FbgemmLayer& layer,
                                kernels::SaturationMode numerics,
                                int32_t highest_input) {
  const kernels::ConvShape shape = layer.shape();
  const at::Tensor dense = layer.weight().contiguous();
  const kernels::PairSumBounds bounds = kernels::BoundPairSums(
      shape, static_cast<const int8_t*>(dense.data_ptr()), highest_input);
  SaturationCheck check;
  check.channels = bounds.channels;
  check.saturating_channels =
      kernels::ConvSaturates(shape, numerics) ? bounds.leaving_channels : 0;
  check.worst_pair_sum = bounds.Worst();
  return check;
}

std::optional<FbgemmLayer> LayerOf(const Node& node) {
  if (node.inputs().size() < 2) {
    return std::nullopt;
  }
  const std::optional<c10::IValue> layer = ConstantOf(*node.input(1));
  return layer ? FbgemmLayer::Of(*layer) : std::nullopt;
}

std::optional<SaturationCheck> CheckSaturation(const Node& node) {
  const std::optional<FbgemmLayer> layer = LayerOf(node);
  return layer ? std::make_optional(CheckSaturation(
                     *layer, layer->saturation_mode(), HighestInput(node)))
               : std::nullopt;
}

std::vector<CheckedNode> CheckSaturation(torch::jit::Graph& graph) {
  std::vector<CheckedNode> checked;
  ForEachNode(graph.block(), [&](Node* node) {
    if (const auto check = CheckSaturation(*node)) {
      checked.push_back({node, *check});
    }
  });
  return checked;
}

}  // namespace ns
