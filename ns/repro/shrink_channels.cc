#include "ns/repro/shrink_channels.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"
#include "passes/rewrite/repack_layer.h"
#include "passes/rewrite/replace_tensors.h"
#include "passes/runtime/dtype_casts.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
using Tensors = std::vector<at::Tensor>;

// Outputs may differ by so much of the largest value, since other kernels sum
// up in another order.
constexpr double kTolerance = 1e-4;

// The only node of `graph` that LibTorch has packed; null where there are more,
// or none.
Node* PackedNodeOf(Graph& graph) {
  Node* found = nullptr;
  int count = 0;
  ForEachNode(graph.block(), [&](Node* node) {
    if (PackedParametersOf(*node).ok()) {
      found = node;
      ++count;
    }
  });
  return count == 1 ? found : nullptr;
}

bool IsDepthwise(const LayerParameters& layer) {
  return layer.groups > 1 && layer.groups == layer.weight.size(0) &&
         layer.weight.size(1) == 1;
}

at::Tensor Narrowed(const at::Tensor& tensor, int64_t dim, IndexRange range) {
  return tensor.narrow(dim, range.begin, range.size()).clone();
}

// The rows `range` of a quantized weight.
at::Tensor RowsOf(const at::Tensor& weight, IndexRange range) {
  const at::Tensor values = Narrowed(weight.int_repr(), 0, range);
  return weight.qscheme() == at::kPerTensorAffine
             ? at::_make_per_tensor_quantized_tensor(values, weight.q_scale(),
                                                     weight.q_zero_point())
             : at::_make_per_channel_quantized_tensor(
                   values, Narrowed(weight.q_per_channel_scales(), 0, range),
                   Narrowed(weight.q_per_channel_zero_points(), 0, range), 0);
}

bool IsAttributeOf(const ModelGraph& model, const Value& value) {
  const Node& node = *value.node();
  return node.kind() == c10::prim::GetAttr &&
         node.input(0) == model.graph().inputs()[0];
}

absl::Status KeepQuantized(IndexRange range, ModelGraph& model) {
  Node* const node = PackedNodeOf(model.graph());
  NS_ASSIGN_OR_RETURN(LayerParameters layer, PackedParametersOf(*node));
  if (IsDepthwise(layer)) {
    layer.groups = range.size();
  }
  NS_RETURN_IF_ERROR(CatchTorchErrors([&] {
    layer.weight = RowsOf(layer.weight, range);
    if (layer.bias.defined()) {
      layer.bias = Narrowed(layer.bias, 0, range);
    }
  }));
  NS_ASSIGN_OR_RETURN(const c10::IValue packed, RepackLayer(*node, layer));
  const int index = FindOp(OpName(*node))->weight_input;
  return CatchTorchErrors([&] {
    const Value& present = *node->input(index);
    if (IsAttributeOf(model, present)) {
      model.module().setattr(present.node()->s(c10::attr::name), packed);
    } else {
      const torch::jit::WithInsertPoint at(node);
      node->replaceInput(index, model.graph().insertConstant(packed));
    }
  });
}

// All tensors with a value for each of `weight`'s rows: the weight itself, the
// bias, and the parameters of norms.
std::vector<TensorReplacement> RowsOfTensors(const ModelGraph& model,
                                             const at::Tensor& weight,
                                             IndexRange range) {
  std::vector<TensorReplacement> replacements;
  ForEachNode(model.graph().block(), [&](const Node* node) {
    for (const Value* value : node->outputs()) {
      std::optional<c10::IValue> constant = ConstantOf(*value);
      if (!constant && IsAttributeOf(model, *value)) {
        constant = model.module().attr(node->s(c10::attr::name));
      }
      if (!constant || !constant->isTensor()) {
        continue;
      }
      const at::Tensor& tensor = constant->toTensor();
      if (tensor.defined() && tensor.dim() > 0 &&
          tensor.size(0) == weight.size(0) &&
          (tensor.dim() == 1 || tensor.sizes() == weight.sizes())) {
        replacements.push_back({tensor, Narrowed(tensor, 0, range)});
      }
    }
  });
  return replacements;
}

absl::Status KeepFloat(const LayerParameters& quantized, IndexRange range,
                       ModelGraph& model) {
  return CatchTorchErrors([&] {
    Graph& graph = model.graph();
    ReplaceTensors(model, *graph.nodes().begin(), graph.return_node(),
                   RowsOfTensors(model, quantized.weight, range));
    if (!IsDepthwise(quantized)) {
      return;
    }
    ForEachNode(graph.block(), [&](Node* node) {
      const Value* groups = InputNamed(*node, "groups");
      for (size_t i = 0; groups != nullptr && i < node->inputs().size(); ++i) {
        if (node->input(i) == groups) {
          const torch::jit::WithInsertPoint at(node);
          node->replaceInput(i, graph.insertConstant(range.size()));
        }
      }
    });
  });
}

absl::StatusOr<at::Tensor> Run(ModelGraph& layer, const Tensors& inputs) {
  NS_ASSIGN_OR_RETURN(
      const c10::IValue output,
      layer.Run(std::vector<c10::IValue>(inputs.begin(), inputs.end())));
  return output.toTensor();
}

// Whether `kept` has the values of `whole` in the channels `range`; where they
// are quantized, up to one step.
bool HasChannels(const at::Tensor& kept, const at::Tensor& whole,
                 const LayerChannels& channels, IndexRange range) {
  const at::Tensor expected =
      Narrowed(AsFloat(whole), channels.dim, range).to(at::kDouble);
  const at::Tensor actual = AsFloat(kept).to(at::kDouble);
  if (actual.sizes() != expected.sizes()) {
    return false;
  }
  if (actual.numel() == 0) {
    return true;
  }
  const double step =
      whole.is_quantized() && whole.qscheme() == at::kPerTensorAffine
          ? whole.q_scale()
          : 0;
  const double largest =
      expected.nan_to_num(0, 0, 0).abs().max().item<double>();
  return actual.allclose(expected, /*rtol=*/0,
                         std::max(step * 1.01, kTolerance * largest),
                         /*equal_nan=*/true);
}

}  // namespace

std::optional<LayerChannels> ChannelsOf(const LayerModules& layers) {
  const Node* node = PackedNodeOf(layers.quantized_layer.graph());
  if (node == nullptr) {
    return std::nullopt;
  }
  const auto layer = PackedParametersOf(*node);
  const absl::string_view family = FindOp(OpName(*node))->family;
  const bool is_linear = family == "linear";
  if (!layer->weight.is_quantized() || absl::StrContains(family, "transpose") ||
      (!is_linear && layer->groups != 1 && !IsDepthwise(*layer))) {
    return std::nullopt;
  }
  return LayerChannels{is_linear ? -1 : 1, layer->weight.size(0)};
}

absl::StatusOr<FedLayer> KeepChannels(LayerModules& layers,
                                      absl::Span<const at::Tensor> inputs,
                                      const LayerChannels& channels,
                                      IndexRange range) {
  NS_ASSIGN_OR_RETURN(ModelGraph float_layer, layers.float_layer.Clone());
  NS_ASSIGN_OR_RETURN(ModelGraph quantized_layer,
                      layers.quantized_layer.Clone());
  FedLayer kept{{std::move(float_layer), std::move(quantized_layer)},
                {inputs.begin(), inputs.end()}};
  NS_ASSIGN_OR_RETURN(
      const LayerParameters layer,
      PackedParametersOf(*PackedNodeOf(kept.layers.quantized_layer.graph())));
  const absl::Status changed = [&] {
    NS_RETURN_IF_ERROR(KeepQuantized(range, kept.layers.quantized_layer));
    NS_RETURN_IF_ERROR(KeepFloat(layer, range, kept.layers.float_layer));
    return CatchTorchErrors([&] {
      for (at::Tensor& input : kept.inputs) {
        input = IsDepthwise(layer) ? Narrowed(input, 1, range) : input;
      }
    });
  }();
  NS_RETURN_IF_ERROR(RefusalOf("its channels cannot be cut", changed));
  const Tensors all(inputs.begin(), inputs.end());
  for (const auto& [of_kept, of_whole] :
       {std::pair(&kept.layers.float_layer, &layers.float_layer),
        std::pair(&kept.layers.quantized_layer, &layers.quantized_layer)}) {
    NS_ASSIGN_OR_RETURN(const at::Tensor actual, Run(*of_kept, kept.inputs));
    NS_ASSIGN_OR_RETURN(const at::Tensor expected, Run(*of_whole, all));
    NS_ASSIGN_OR_RETURN(const bool has_channels, CatchTorchErrors([&] {
                          return HasChannels(actual, expected, channels, range);
                        }));
    if (!has_channels) {
      return Refusal("its channels depend on each other");
    }
  }
  return kept;
}

}  // namespace ns
