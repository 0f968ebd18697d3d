#include "passes/instrument/pair/fuse_float_convs.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/model/attach_attribute.h"
#include "ir/model/insert_method_call.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/analysis/batch_norm.h"
#include "passes/instrument/pair/relax_layout.h"
#include "passes/runtime/float_conv.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;
namespace aten = ::c10::aten;

constexpr char kAttributePrefix[] = "ns_float_conv_";

// The constant tensor of that name; undefined for None, and `fits` turns false
// for anything but float32.
at::Tensor TensorOf(const Node& node, const char* name, bool& fits) {
  const std::optional<c10::IValue> value = ConstantArgument(node, name);
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

bool IsConvolution(const Node& node) {
  return node.kind() == aten::conv2d || node.kind() == aten::_convolution;
}

std::optional<FloatConvParameters> ParametersOf(const Node& node) {
  if (!IsConvolution(node)) {
    return std::nullopt;
  }
  bool fits = true;
  FloatConvParameters parameters;
  parameters.weight = TensorOf(node, "weight", fits);
  parameters.bias = TensorOf(node, "bias", fits);
  const auto ints = [&](const char* name) {
    const std::optional<c10::IValue> value = ConstantArgument(node, name);
    fits =
        fits && value && value->isIntList() && value->toIntVector().size() == 2;
    return fits ? value->toIntVector() : std::vector<int64_t>();
  };
  parameters.stride = ints("stride");
  parameters.padding = ints("padding");
  parameters.dilation = ints("dilation");
  const std::optional<c10::IValue> groups = ConstantArgument(node, "groups");
  fits = fits && groups && groups->isInt() && parameters.weight.defined() &&
         parameters.weight.dim() == 4;
  if (node.kind() == aten::_convolution) {
    const std::optional<c10::IValue> transposed =
        ConstantArgument(node, "transposed");
    fits = fits && transposed && transposed->isBool() && !transposed->toBool();
  }
  if (!fits) {
    return std::nullopt;
  }
  parameters.groups = groups->toInt();
  if (!parameters.bias.defined()) {
    parameters.bias = at::zeros({parameters.weight.size(0)});
  }
  parameters.scale = at::ones({parameters.weight.size(0)}, at::kDouble);
  return parameters;
}

bool IsFloat(const at::Tensor& tensor) {
  return !tensor.defined() || tensor.scalar_type() == at::kFloat;
}

// The numbers of `norm` in double.
BatchNorm InDouble(const BatchNorm& norm) {
  const auto in_double = [](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.to(at::kDouble) : tensor;
  };
  return {in_double(norm.mean), in_double(norm.variance),
          in_double(norm.weight), in_double(norm.bias), norm.eps};
}

// Folds a batch norm into the convolution in front of it, computing in double.
// False when `node` is something else.
absl::StatusOr<bool> FoldBatchNorm(const Node& node,
                                   FloatConvParameters& parameters) {
  if (node.kind() != aten::batch_norm) {
    return false;
  }
  const absl::StatusOr<BatchNorm> constants = BatchNormOf(node);
  if (!constants.ok() || !IsFloat(constants->mean) ||
      !IsFloat(constants->variance) || !IsFloat(constants->weight) ||
      !IsFloat(constants->bias)) {
    return false;
  }
  const BatchNorm norm = InDouble(*constants);
  NS_ASSIGN_OR_RETURN(parameters.scale,
                      BatchNormScale(norm.variance, norm.eps, norm.weight));
  NS_ASSIGN_OR_RETURN(
      const at::Tensor bias,
      BatchNormBias(parameters.bias.to(at::kDouble), norm, NormedLayer::kConv));
  parameters.bias = bias.to(at::kFloat);
  return true;
}

// The constants of a chain: the same for one float subgraph and its shadows.
using Constants = std::pair<std::vector<const void*>, std::vector<double>>;

// Which attribute runs the chains with certain constants.
using Attributes = std::map<Constants, std::string>;

Constants ConstantsOf(const std::vector<Node*>& chain) {
  Constants constants;
  auto& [tensors, numbers] = constants;
  for (const Node* node : chain) {
    for (const Value* input : node->inputs()) {
      // One tensor, or none, for each input, and how many numbers it has.
      const c10::IValue value = ConstantOf(*input).value_or(c10::IValue());
      tensors.push_back(
          value.isTensor() ? value.toTensor().unsafeGetTensorImpl() : nullptr);
      std::vector<double> of_input;
      if (value.isIntList()) {
        const std::vector<int64_t> list = value.toIntVector();
        of_input.assign(list.begin(), list.end());
      } else if (value.isScalar()) {
        of_input.push_back(value.toScalar().toDouble());
      }
      numbers.push_back(static_cast<double>(of_input.size()));
      numbers.insert(numbers.end(), of_input.begin(), of_input.end());
    }
  }
  return constants;
}

absl::Status Fuse(ModelGraph& host, Node* convolution,
                  FloatConvParameters parameters, Attributes& attributes) {
  std::vector<Node*> chain = {convolution};
  Node* next = OnlyUser(*convolution->output());
  if (next != nullptr) {
    NS_ASSIGN_OR_RETURN(const bool is_folded,
                        Annotated("fusing float convolutions",
                                  FoldBatchNorm(*next, parameters)));
    if (is_folded) {
      chain.push_back(next);
    }
  }
  std::string& attribute = attributes[ConstantsOf(chain)];
  if (attribute.empty()) {
    const c10::IValue object(
        c10::make_intrusive<FloatConv>(std::move(parameters)));
    attribute =
        AttachAttribute(host.module(), kAttributePrefix, object,
                        /*first=*/static_cast<int>(attributes.size()) - 1);
  }
  NS_ASSIGN_OR_RETURN(Value * fused,
                      InsertMethodCall(host, attribute, "forward",
                                       {convolution->input(0)}, convolution));
  chain.back()->output()->replaceAllUsesWith(fused);
  for (auto node = chain.rbegin(); node != chain.rend(); ++node) {
    (*node)->destroy();
  }
  return absl::OkStatus();
}

}  // namespace

llvm::DenseSet<Node*> ConvolutionsOf(torch::jit::Graph& graph) {
  llvm::DenseSet<Node*> convolutions;
  ForEachNode(graph.block(), [&](Node* node) {
    if (IsConvolution(*node)) {
      convolutions.insert(node);
    }
  });
  return convolutions;
}

absl::Status FuseFloatConvs(ModelGraph& host,
                            const llvm::DenseSet<Node*>& convolutions) {
  return CatchTorchErrors("fusing float convolutions", [&]() -> absl::Status {
    // In the order of the graph, so that attributes always have the same names.
    std::vector<std::pair<Node*, FloatConvParameters>> found;
    ForEachNode(host.graph().block(), [&](Node* node) {
      if (convolutions.contains(node)) {
        if (std::optional<FloatConvParameters> parameters =
                ParametersOf(*node)) {
          found.emplace_back(node, *std::move(parameters));
        }
      }
    });
    std::vector<Value*> outputs;
    for (const auto& convolution : found) {
      outputs.push_back(convolution.first->output());
    }
    if (found.empty() || !RelaxLayout(host.graph(), outputs)) {
      return absl::OkStatus();
    }
    Attributes attributes;
    for (auto& [node, parameters] : found) {
      NS_RETURN_IF_ERROR(Fuse(host, node, std::move(parameters), attributes));
    }
    return absl::OkStatus();
  });
}

}  // namespace ns
