#include "passes/analysis/faulty_layers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/conv_numbers.h"
#include "passes/analysis/packed_layers.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using Ints = std::vector<int64_t>;

bool IsAnyAbove(const Ints& numbers, int64_t limit) {
  return absl::c_any_of(numbers,
                        [&](int64_t number) { return number > limit; });
}

// `layer` has an output padding if it is transposed, a weight of [in, out /
// groups, ...] then, and of [out, in / groups, ...] otherwise.
QuantizedConvShape ShapeOf(const ConvLayer& layer, bool is_transposed) {
  const at::IntArrayRef sizes = layer.weight.sizes();
  const int64_t first = sizes[0];
  const int64_t second = sizes[1] * layer.groups;
  QuantizedConvShape shape;
  shape.is_transposed = is_transposed;
  shape.in_channels = is_transposed ? first : second;
  shape.out_channels = is_transposed ? second : first;
  shape.groups = layer.groups;
  shape.is_pointwise = !IsAnyAbove(sizes.slice(2).vec(), 1);
  shape.has_stride = IsAnyAbove(layer.stride, 1);
  shape.has_padding = IsAnyAbove(layer.padding, 0);
  shape.has_output_padding = IsAnyAbove(layer.output_padding, 0);
  return shape;
}

std::optional<QuantizedConvShape> ShapeOfQuantized(const Node& node) {
  const absl::string_view op = OpName(node);
  if (!absl::StartsWith(op, "quantized::conv") || node.inputs().size() < 2) {
    return std::nullopt;
  }
  const std::optional<c10::IValue> packed = ConstantOf(*node.input(1));
  if (!packed) {
    return std::nullopt;
  }
  const absl::StatusOr<ConvLayer> layer =
      UnpackConv(*packed, absl::StrContains(op, "1d"));
  return layer.ok() ? std::make_optional(ShapeOf(
                          *layer, absl::StrContains(op, "conv_transpose")))
                    : std::nullopt;
}

// The shape of a float convolution.
absl::StatusOr<QuantizedConvShape> ShapeOfFloat(const Node& node) {
  NS_ASSIGN_OR_RETURN(const bool is_transposed, IsTransposed(node));
  const auto weight = ConstantArgument(node, "weight");
  if (!weight || !weight->isTensor() || weight->toTensor().dim() < 3) {
    return NotConstant("weight");
  }
  ConvLayer layer;
  layer.weight = weight->toTensor();
  const ConvNumbers numbers(node, static_cast<size_t>(layer.weight.dim()) - 2);
  NS_ASSIGN_OR_RETURN(layer.groups, numbers.Number("groups"));
  NS_ASSIGN_OR_RETURN(layer.stride, numbers.List("stride"));
  if (is_transposed) {
    NS_ASSIGN_OR_RETURN(layer.output_padding, numbers.List("output_padding"));
  } else {
    NS_ASSIGN_OR_RETURN(layer.padding, numbers.List("padding"));
  }
  return ShapeOf(layer, is_transposed);
}

bool IsClamp(const Node& node) {
  constexpr absl::string_view kOps[] = {
      "aten::clamp", "aten::clamp_", "aten::hardtanh",  "aten::hardtanh_",
      "aten::relu6", "aten::relu6_", "quantized::relu6"};
  return absl::c_linear_search(kOps, OpName(node));
}

// Whether `value` is what a quantized convolution gives, or an op makes of that
// whose output has the order of its first input.
bool IsOfConv(const torch::jit::Value& value) {
  constexpr absl::string_view kKeepOrder[] = {
      "aten::relu",          "aten::relu_",    "aten::max_pool2d",
      "aten::avg_pool2d",    "quantized::add", "quantized::add_relu",
      "quantized::mul",      "aten::dropout",  "quantized::batch_norm2d",
      "quantized::hardswish"};
  const torch::jit::Value* at = &value;
  while (absl::c_linear_search(kKeepOrder, OpName(*at->node()))) {
    at = at->node()->input(0);
  }
  return absl::StartsWith(OpName(*at->node()), "quantized::conv2d");
}

OpFault FaultOfNode(const Node& node, const OpEnvironment& environment) {
  if (const auto shape = ShapeOfQuantized(node)) {
    return FaultOf(*shape, environment);
  }
  return IsClamp(node) && IsOfConv(*node.input(0)) ? FaultOfClamp(environment)
                                                   : OpFault::kNone;
}

}  // namespace

std::vector<FaultyLayer> FaultyLayers(const Graph& graph,
                                      const OpEnvironment& environment) {
  std::vector<FaultyLayer> layers;
  ForEachNode(graph.block(), [&](const Node* node) {
    const OpFault fault = FaultOfNode(*node, environment);
    if (fault != OpFault::kNone) {
      layers.push_back({LayerName(*node), fault});
    }
  });
  return layers;
}

OpFault FaultOnceQuantized(const Node& node, const OpEnvironment& environment) {
  if (InputNamed(node, "stride") == nullptr ||
      InputNamed(node, "groups") == nullptr) {
    return OpFault::kNone;
  }
  const absl::StatusOr<QuantizedConvShape> shape = ShapeOfFloat(node);
  return shape.ok() ? FaultOf(*shape, environment) : OpFault::kNone;
}

std::vector<std::string> DescribeFaults(
    const std::vector<FaultyLayer>& layers) {
  std::vector<std::string> sentences;
  for (const OpFault fault :
       {OpFault::kTransposedWeight, OpFault::kStridedPointwise,
        OpFault::kClampOfChannelsLast}) {
    std::vector<std::string> names;
    for (const FaultyLayer& layer : layers) {
      if (layer.fault == fault) {
        names.push_back(layer.name);
      }
    }
    if (!names.empty()) {
      sentences.push_back(absl::StrCat(names.size() == 1 ? "" : "each of ",
                                       absl::StrJoin(names, ", "), " ",
                                       FaultText(fault)));
    }
  }
  return sentences;
}

}  // namespace ns
