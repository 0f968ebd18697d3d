#include "passes/logging/fuse_float_convs.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/node_view.h"
#include "ir/torch_errors.h"
#include "passes/logging/insert_method_call.h"
#include "passes/runtime/float_conv.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace aten = ::c10::aten;

constexpr char kAttributePrefix[] = "ns_float_conv_";

std::optional<c10::IValue> Constant(const Node& node, const char* name) {
  const Value* value = InputNamed(node, name);
  return value == nullptr ? std::nullopt : ConstantOf(*value);
}

// The constant tensor of that name; undefined for None, and `fits` turns false
// for anything but float32.
at::Tensor TensorOf(const Node& node, const char* name, bool& fits) {
  const std::optional<c10::IValue> value = Constant(node, name);
  if (value && value->isNone()) {
    return {};
  }
  if (!value || !value->isTensor() ||
      value->toTensor().scalar_type() != at::kFloat) {
    fits = false;
    return {};
  }
  return value->toTensor();
}

std::optional<FloatConvParameters> ParametersOf(const Node& node) {
  if (node.kind() != aten::conv2d && node.kind() != aten::_convolution) {
    return std::nullopt;
  }
  bool fits = true;
  FloatConvParameters parameters;
  parameters.weight = TensorOf(node, "weight", fits);
  parameters.bias = TensorOf(node, "bias", fits);
  const auto ints = [&](const char* name) {
    const std::optional<c10::IValue> value = Constant(node, name);
    fits =
        fits && value && value->isIntList() && value->toIntVector().size() == 2;
    return fits ? value->toIntVector() : std::vector<int64_t>();
  };
  parameters.stride = ints("stride");
  parameters.padding = ints("padding");
  parameters.dilation = ints("dilation");
  const std::optional<c10::IValue> groups = Constant(node, "groups");
  fits = fits && groups && groups->isInt() && parameters.weight.defined() &&
         parameters.weight.dim() == 4;
  if (node.kind() == aten::_convolution) {
    const std::optional<c10::IValue> transposed = Constant(node, "transposed");
    fits = fits && transposed && transposed->isBool() && !transposed->toBool();
  }
  if (!fits) {
    return std::nullopt;
  }
  parameters.groups = groups->toInt();
  if (!parameters.bias.defined()) {
    parameters.bias = at::zeros({parameters.weight.size(0)});
  }
  return parameters;
}

// y = (x - mean) / sqrt(variance + eps) * gamma + beta, folded into what makes
// x. False when `node` is something else.
bool FoldBatchNorm(const Node& node, FloatConvParameters& parameters) {
  if (node.kind() != aten::batch_norm) {
    return false;
  }
  bool fits = true;
  const at::Tensor mean = TensorOf(node, "running_mean", fits);
  const at::Tensor variance = TensorOf(node, "running_var", fits);
  const at::Tensor gamma = TensorOf(node, "weight", fits);
  const at::Tensor beta = TensorOf(node, "bias", fits);
  const std::optional<c10::IValue> training = Constant(node, "training");
  const std::optional<c10::IValue> eps = Constant(node, "eps");
  if (!fits || !mean.defined() || !variance.defined() || !training ||
      !training->isBool() || training->toBool() || !eps || !eps->isDouble()) {
    return false;
  }
  at::Tensor scale = (variance.to(at::kDouble) + eps->toDouble()).rsqrt();
  if (gamma.defined()) {
    scale = scale * gamma;
  }
  at::Tensor bias = (parameters.bias.to(at::kDouble) - mean) * scale;
  if (beta.defined()) {
    bias = bias + beta;
  }
  parameters.weight =
      (parameters.weight.to(at::kDouble) * scale.reshape({-1, 1, 1, 1}))
          .to(at::kFloat);
  parameters.bias = bias.to(at::kFloat);
  return true;
}

// Appends what can run as one with `convolution`.
std::vector<Node*> ChainFrom(Node* convolution,
                             FloatConvParameters& parameters) {
  std::vector<Node*> chain = {convolution};
  Node* next = OnlyUser(*convolution->output());
  if (next != nullptr && next->input(0) == chain.back()->output() &&
      FoldBatchNorm(*next, parameters)) {
    chain.push_back(next);
    next = OnlyUser(*next->output());
  }
  if (next != nullptr &&
      (next->kind() == aten::relu || next->kind() == aten::relu_)) {
    parameters.relu = true;
    chain.push_back(next);
  }
  return chain;
}

void Fuse(ModelGraph& host, Node* convolution, FloatConvParameters parameters) {
  const std::vector<Node*> chain = ChainFrom(convolution, parameters);
  const c10::IValue object(
      c10::make_intrusive<FloatConv>(std::move(parameters)));
  std::string attribute;
  for (int i = 0; attribute.empty() || host.module().hasattr(attribute); ++i) {
    attribute = absl::StrCat(kAttributePrefix, i);
  }
  host.module().register_attribute(attribute, object.type(), object);
  Value* fused = InsertMethodCall(host, attribute, "forward",
                                  {convolution->input(0)}, convolution);
  chain.back()->output()->replaceAllUsesWith(fused);
  for (auto node = chain.rbegin(); node != chain.rend(); ++node) {
    (*node)->destroy();
  }
}

}  // namespace

absl::Status FuseFloatConvs(ModelGraph& host,
                            const absl::flat_hash_set<Node*>& convolutions) {
  // In the order of the graph, so that names of attributes are always the same.
  std::vector<Block*> blocks = {host.graph().block()};
  std::vector<std::pair<Node*, FloatConvParameters>> found;
  return CatchTorchErrors("fusing float convolutions", [&] {
    while (!blocks.empty()) {
      Block* block = blocks.back();
      blocks.pop_back();
      for (Node* node : block->nodes()) {
        blocks.insert(blocks.end(), node->blocks().begin(),
                      node->blocks().end());
        if (!convolutions.contains(node)) {
          continue;
        }
        if (std::optional<FloatConvParameters> parameters =
                ParametersOf(*node)) {
          found.emplace_back(node, *std::move(parameters));
        }
      }
    }
    for (auto& [node, parameters] : found) {
      Fuse(host, node, std::move(parameters));
    }
  });
}

}  // namespace ns
