#include "passes/quantization/layer_pairs.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "ir/status.h"
#include "passes/quantization/scaled_layer.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

std::optional<double> NumberNamed(const Node& node, absl::string_view name) {
  const Value* input = InputNamed(node, name);
  return input == nullptr || IsTensor(*input) ? std::nullopt : NumberOf(*input);
}

// Returns the upper bound of a clamp that starts at 0.
std::optional<double> ClampMaxOf(const Node& node) {
  const absl::string_view op = absl::StripSuffix(OpName(node), "_");
  std::optional<double> min;
  std::optional<double> max;
  if (op == "aten::relu6") {
    return 6;
  }
  if (op == "aten::hardtanh") {
    min = NumberNamed(node, "min_val");
    max = NumberNamed(node, "max_val");
  } else if (op == "aten::clamp") {
    min = NumberNamed(node, "min");
    max = NumberNamed(node, "max");
  }
  return min == 0.0 && max && *max > 0 ? max : std::nullopt;
}

}  // namespace

absl::Status CheckTakesChannels(const Node& layer, const ChannelFlow& flow) {
  NS_ASSIGN_OR_RETURN(
      const int64_t space,
      Annotated(absl::StrCat(OpName(layer), " behind it"), SpaceOf(layer)));
  if (flow.dim == space + 1 && !(flow.is_flattened && space > 0)) {
    return absl::OkStatus();
  }
  return Refusal(absl::StrCat(OpName(layer),
                              " behind it takes its channels for something "
                              "else"));
}

absl::StatusOr<LayerPair> PairFrom(Node& layer, const ChannelFactors& factors) {
  LayerPair pair;
  pair.first = &layer;
  NS_ASSIGN_OR_RETURN(const ScaledLayer first, ScaledLayer::Make(layer));
  ChannelFlow flow;
  flow.value = layer.output();
  flow.channels = first.outputs();
  NS_ASSIGN_OR_RETURN(flow.dim, SpaceOf(layer));
  ++flow.dim;
  while (true) {
    NS_ASSIGN_OR_RETURN(const Use reader, OnlyReaderOf(*flow.value));
    Node* node = reader.user;
    if (reader.offset == 0 && IsScalableLayer(*node)) {
      pair.second = node;
      break;
    }
    if (node->kind() == c10::aten::batch_norm) {
      return Refusal("a batch norm is behind it; fold batch norms first");
    }
    if (const std::optional<double> max = ClampMaxOf(*node);
        max && reader.offset == 0) {
      if (pair.clamp != nullptr) {
        return Refusal("two clamps are behind it");
      }
      pair.clamp = node;
      pair.clamp_max = *max;
      pair.clamped = flow;
      flow.value = node->output();
      continue;
    }
    NS_ASSIGN_OR_RETURN(flow, factors.Past(flow, reader));
  }
  NS_RETURN_IF_ERROR(CheckTakesChannels(*pair.second, flow));
  NS_ASSIGN_OR_RETURN(
      const ScaledLayer second,
      Annotated(absl::StrCat(OpName(*pair.second), " behind it"),
                ScaledLayer::Make(*pair.second)));
  pair.inputs_a_channel = second.inputs() / flow.channels;
  if (second.inputs() != pair.inputs_a_channel * flow.channels ||
      (!flow.is_flattened && pair.inputs_a_channel != 1)) {
    return Refusal(absl::StrCat(OpName(*pair.second),
                                " behind it takes another number of channels"));
  }
  return pair;
}

}  // namespace ns
