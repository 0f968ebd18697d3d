#include "passes/quantization/layers/fx_forms.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "ir/base/refusal.h"
#include "ir/base/symbol_text.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/output_scale.h"
#include "passes/quantization/layers/python_call.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using Form = PythonCall::Form;

// The lists below are those of torch/ao/quantization/backend_config, in order.

// Ops that move values.
constexpr absl::string_view kMovers[] = {
    "aten::contiguous", "aten::detach",  "aten::flatten",
    "aten::permute",    "aten::repeat",  "aten::repeat_interleave",
    "aten::reshape",    "aten::squeeze", "aten::transpose",
    "aten::unsqueeze",  "aten::view"};

// Ops that compute, as TorchScript has them.
constexpr absl::string_view kOps[] = {"aten::_convolution",
                                      "aten::adaptive_avg_pool1d",
                                      "aten::adaptive_avg_pool2d",
                                      "aten::adaptive_avg_pool3d",
                                      "aten::add",
                                      "aten::avg_pool1d",
                                      "aten::avg_pool2d",
                                      "aten::avg_pool3d",
                                      "aten::batch_norm",
                                      "aten::cat",
                                      "aten::clamp",
                                      "aten::conv1d",
                                      "aten::conv2d",
                                      "aten::conv3d",
                                      "aten::conv_transpose1d",
                                      "aten::conv_transpose2d",
                                      "aten::conv_transpose3d",
                                      "aten::dropout",
                                      "aten::elu",
                                      "aten::group_norm",
                                      "aten::hardsigmoid",
                                      "aten::hardswish",
                                      "aten::hardtanh",
                                      "aten::instance_norm",
                                      "aten::layer_norm",
                                      "aten::leaky_relu",
                                      "aten::linear",
                                      "aten::matmul",
                                      "aten::max_pool1d",
                                      "aten::max_pool2d",
                                      "aten::max_pool3d",
                                      "aten::mean",
                                      "aten::mul",
                                      "aten::prelu",
                                      "aten::relu",
                                      "aten::relu6",
                                      "aten::sigmoid",
                                      "aten::softmax",
                                      "aten::stack",
                                      "aten::tanh",
                                      "aten::upsample_bicubic2d",
                                      "aten::upsample_bilinear2d",
                                      "aten::upsample_linear1d",
                                      "aten::upsample_nearest1d",
                                      "aten::upsample_nearest2d",
                                      "aten::upsample_nearest3d",
                                      "aten::upsample_trilinear3d"};

// Functions, as PythonCall names them.
constexpr absl::string_view kFunctions[] = {"F.adaptive_avg_pool1d",
                                            "F.adaptive_avg_pool2d",
                                            "F.adaptive_avg_pool3d",
                                            "F.avg_pool1d",
                                            "F.avg_pool2d",
                                            "F.avg_pool3d",
                                            "F.conv1d",
                                            "F.conv2d",
                                            "F.conv3d",
                                            "F.dropout",
                                            "F.elu",
                                            "F.group_norm",
                                            "F.hardsigmoid",
                                            "F.hardswish",
                                            "F.hardtanh",
                                            "F.hardtanh_",
                                            "F.instance_norm",
                                            "F.interpolate",
                                            "F.layer_norm",
                                            "F.leaky_relu",
                                            "F.linear",
                                            "F.max_pool1d",
                                            "F.max_pool2d",
                                            "F.max_pool3d",
                                            "F.relu",
                                            "F.relu6",
                                            "F.sigmoid",
                                            "F.tanh",
                                            "F.upsample",
                                            "F.upsample_bilinear",
                                            "F.upsample_nearest",
                                            "torch.adaptive_avg_pool1d",
                                            "torch.add",
                                            "torch.avg_pool1d",
                                            "torch.cat",
                                            "torch.clamp",
                                            "torch.conv1d",
                                            "torch.conv2d",
                                            "torch.conv3d",
                                            "torch.flatten",
                                            "torch.matmul",
                                            "torch.mean",
                                            "torch.mul",
                                            "torch.repeat_interleave",
                                            "torch.sigmoid",
                                            "torch.squeeze",
                                            "torch.stack",
                                            "torch.tanh",
                                            "torch.transpose",
                                            "torch.unsqueeze"};

constexpr absl::string_view kMethods[] = {
    "clamp",       "contiguous",   "detach",     "detach_",
    "hardsigmoid", "hardsigmoid_", "mean",       "permute",
    "relu",        "relu_",        "repeat",     "repeat_interleave",
    "reshape",     "resize_",      "sigmoid",    "sigmoid_",
    "squeeze",     "squeeze_",     "tanh",       "tanh_",
    "transpose",   "unsqueeze",    "unsqueeze_", "view"};

// Modules of torch.nn, by the last part of their type.
constexpr absl::string_view kModules[] = {"AdaptiveAvgPool1d",
                                          "AdaptiveAvgPool2d",
                                          "AdaptiveAvgPool3d",
                                          "AvgPool1d",
                                          "AvgPool2d",
                                          "AvgPool3d",
                                          "BatchNorm2d",
                                          "BatchNorm3d",
                                          "Conv1d",
                                          "Conv2d",
                                          "Conv3d",
                                          "ConvTranspose1d",
                                          "ConvTranspose2d",
                                          "ConvTranspose3d",
                                          "Dropout",
                                          "ELU",
                                          "Embedding",
                                          "EmbeddingBag",
                                          "GRUCell",
                                          "Hardsigmoid",
                                          "Hardswish",
                                          "Hardtanh",
                                          "Identity",
                                          "InstanceNorm1d",
                                          "InstanceNorm2d",
                                          "InstanceNorm3d",
                                          "LSTM",
                                          "LSTMCell",
                                          "LayerNorm",
                                          "LeakyReLU",
                                          "Linear",
                                          "MaxPool1d",
                                          "MaxPool2d",
                                          "MaxPool3d",
                                          "PReLU",
                                          "RNNCell",
                                          "ReLU",
                                          "ReLU6",
                                          "Sigmoid",
                                          "Softmax",
                                          "Tanh"};

// Layers, modules and functions, with which a ReLU is fused.
constexpr absl::string_view kFuseRelu[] = {
    "aten::_convolution", "aten::batch_norm", "aten::conv1d",
    "aten::conv2d",       "aten::conv3d",     "aten::linear"};

bool Has(absl::Span<const absl::string_view> names, absl::string_view name) {
  return absl::c_linear_search(names, name);
}

// Returns the type of the module that `scope` is for (ScopeFor in
// ir/graph/module_path.h): "torch.nn.modules.conv.Conv2d". Empty for none.
absl::string_view TypeIn(const torch::jit::Scope& scope) {
  const absl::string_view name = UnqualifiedText(scope.name());
  const size_t open = name.find('(');
  return open == absl::string_view::npos || !absl::EndsWith(name, ")")
             ? absl::string_view()
             : name.substr(open + 1, name.size() - open - 2);
}

// Returns the outermost module of torch.nn that `node` belongs to, without
// containers: its type, or empty for none.
absl::string_view LeafInFx(const Node& node) {
  absl::string_view leaf;
  auto scope = const_cast<Node&>(node).scope();
  while (scope && !scope->isRoot()) {
    const absl::string_view type = TypeIn(*scope);
    const bool is_of_torch = absl::StartsWith(type, "torch.nn.") ||
                             absl::StartsWith(type, "torch.ao.nn.");
    if (is_of_torch && !absl::StrContains(type, ".container.")) {
      leaf = type;
    }
    scope = scope->parent();
  }
  return leaf;
}

bool IsFused(absl::string_view type) {
  return absl::StrContains(type, ".intrinsic.");
}

// Whether `name`, a function or method, is that of the op of `node`. Otherwise
// it is a name that the user's code gives to some function.
bool IsNameOfOp(absl::string_view name, const Node& node) {
  absl::ConsumeSuffix(&name, "_");
  return UnqualifiedText(node.kind()) == name;
}

bool IsKnownFunction(const Node& node, const std::string& name) {
  return absl::StrContains(name, '.')
             ? Has(kFunctions, name)
             : Has(kFunctions, absl::StrCat("F.", name)) ||
                   !IsNameOfOp(name, node);
}

bool IsKnownCall(const Node& node, const PythonCall& call) {
  switch (call.form) {
    case Form::kUnknown:
      return true;
    case Form::kFunction:
      return IsKnownFunction(node, call.name);
    case Form::kMethod:
      return Has(kMethods, call.name) || IsKnownFunction(node, call.name);
    case Form::kOperator:
      return node.kind() == c10::aten::add || node.kind() == c10::aten::mul;
  }
  return true;
}

bool IsKnown(const Node& node) {
  const absl::string_view leaf = LeafInFx(node);
  return leaf.empty()
             ? IsKnownCall(node, PythonCallOf(node))
             : IsFused(leaf) || Has(kModules, leaf.substr(leaf.rfind('.') + 1));
}

}  // namespace

bool IsKnownToFx(const Node& node) {
  const absl::string_view op = OpName(node);
  return (Has(kOps, op) || Has(kMovers, op)) && IsKnown(node);
}

bool FusesReluInFx(const Node& before, const Node& relu) {
  const bool is_binary =
      before.kind() == c10::aten::add || before.kind() == c10::aten::mul;
  if (!(is_binary || Has(kFuseRelu, OpName(before))) || !IsKnownToFx(before)) {
    return false;
  }
  if (!LeafInFx(relu).empty()) {
    return IsKnown(relu);
  }
  const PythonCall call = PythonCallOf(relu);
  const bool is_method =
      call.form == Form::kMethod && IsNameOfOp(call.name, relu);
  return IsKnownCall(relu, call) ? !is_method
                                 : is_binary && call.name == "torch.relu";
}

bool MovesValuesInFx(const Node& node) {
  return Has(kMovers, OpName(node)) && IsKnown(node);
}

absl::StatusOr<Int8Form> Int8FormInFx(const Node& node) {
  const absl::StatusOr<Int8Form> form = Int8FormOf(node);
  if (form.ok() && !IsKnownToFx(node)) {
    return Refusal("prepare_fx does not observe it");
  }
  return form.ok() && TakesNumber(node) ? Int8Form::kRangeOfInput : form;
}

}  // namespace ns
