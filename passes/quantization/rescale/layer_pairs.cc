#include "passes/quantization/rescale/layer_pairs.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"

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

// Whether `layer`, of the op `op`, multiplies each channel of `flow`, its
// input, with weights of that channel. Error: a refusal that says why not.
absl::Status CheckTakesChannels(const ScaledLayer& layer, absl::string_view op,
                                const ChannelFlow& flow) {
  const int64_t space = layer.space();
  if (flow.dim == space + 1 && !(flow.is_flattened && space > 0)) {
    return absl::OkStatus();
  }
  return Refusal(absl::StrCat(op,
                              " behind it takes its channels for something "
                              "else"));
}

}  // namespace

absl::StatusOr<LayerPair> PairFrom(Node& layer, const ChannelFactors& factors,
                                   ScaledLayers& layers) {
  LayerPair pair;
  NS_ASSIGN_OR_RETURN(pair.first, layers.At(layer));
  ChannelFlow flow;
  flow.value = layer.output();
  flow.channels = pair.first->outputs();
  flow.dim = pair.first->space() + 1;
  while (true) {
    NS_ASSIGN_OR_RETURN(const Use reader, OnlyReaderOf(*flow.value));
    Node* node = reader.user;
    if (reader.offset == 0 && IsScalableLayer(*node)) {
      pair.second_node = node;
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
  const absl::string_view op = OpName(*pair.second_node);
  NS_ASSIGN_OR_RETURN(pair.second, Annotated(absl::StrCat(op, " behind it"),
                                             layers.At(*pair.second_node)));
  NS_RETURN_IF_ERROR(CheckTakesChannels(*pair.second, op, flow));
  pair.inputs_a_channel = pair.second->inputs() / flow.channels;
  if (pair.second->inputs() != pair.inputs_a_channel * flow.channels ||
      (!flow.is_flattened && pair.inputs_a_channel != 1)) {
    return Refusal(
        absl::StrCat(op, " behind it takes another number of channels"));
  }
  return pair;
}

}  // namespace ns
