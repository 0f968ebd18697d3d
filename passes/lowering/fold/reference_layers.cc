#include "passes/lowering/fold/reference_layers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/conv_numbers.h"
#include "passes/rewrite/prepack.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;
using Ints = std::vector<int64_t>;

// Returns the constant bias of `node`: a tensor, or None.
absl::StatusOr<c10::IValue> ConstantBias(const Node& node) {
  const Value* input = InputNamed(node, "bias");
  if (input == nullptr || input->mustBeNone()) {
    return c10::IValue();
  }
  const std::optional<c10::IValue> bias = ConstantOf(*input);
  if (!bias || !bias->isTensor()) {
    return NotConstant("bias");
  }
  return c10::IValue(bias->toTensor().detach());
}

// Returns the quantized weight of `node`. A refusal when it is not quantized in
// the way that LibTorch's layers take.
absl::StatusOr<at::Tensor> LayerWeight(const Node& node) {
  NS_ASSIGN_OR_RETURN(at::Tensor weight,
                      ConstantQuantized(*InputNamed(node, "weight")));
  NS_RETURN_IF_ERROR(CheckLayerWeight(weight));
  return weight;
}

}  // namespace

absl::StatusOr<at::Tensor> ConstantQuantized(const Value& weight) {
  const Node& node = *weight.node();
  if (node.kind() != c10::aten::dequantize) {
    return Refusal(
        ConstantOf(weight)
            ? "its weight is a float constant, without scale and zero point"
            : "its weight is not dequantized");
  }
  const std::optional<c10::IValue> quantized =
      EvaluatedConstant(*node.input(0));
  if (!quantized || !quantized->isTensor() ||
      !quantized->toTensor().defined() ||
      !quantized->toTensor().is_quantized()) {
    return NotConstant("weight");
  }
  return quantized->toTensor();
}

absl::StatusOr<PackedLayer> PackLinear(const Node& node) {
  NS_ASSIGN_OR_RETURN(const at::Tensor weight, LayerWeight(node));
  NS_ASSIGN_OR_RETURN(const c10::IValue bias, ConstantBias(node));
  NS_ASSIGN_OR_RETURN(
      c10::IValue packed,
      PrepackLinear(weight, bias.isTensor() ? bias.toTensor() : at::Tensor()));
  return PackedLayer{"linear", std::move(packed)};
}

absl::StatusOr<PackedLayer> PackConv(const Node& node) {
  NS_ASSIGN_OR_RETURN(const at::Tensor weight, LayerWeight(node));
  NS_ASSIGN_OR_RETURN(const c10::IValue bias, ConstantBias(node));
  NS_ASSIGN_OR_RETURN(const bool transposed, IsTransposed(node));
  const int64_t dimensions = weight.dim() - 2;
  if (dimensions < 1 || dimensions > 3) {
    return Refusal(absl::StrCat("its weight has ", weight.dim(),
                                " dimensions, which no kernel takes"));
  }
  const ConvNumbers numbers(node, dimensions);
  NS_ASSIGN_OR_RETURN(const Ints stride, numbers.List("stride"));
  NS_ASSIGN_OR_RETURN(const Ints padding, numbers.List("padding"));
  NS_ASSIGN_OR_RETURN(const Ints dilation, numbers.List("dilation"));
  NS_ASSIGN_OR_RETURN(const int64_t groups, numbers.Number("groups"));
  std::vector<c10::IValue> arguments = {weight, bias, stride, padding};
  if (transposed) {
    NS_ASSIGN_OR_RETURN(const Ints added, numbers.List("output_padding"));
    arguments.emplace_back(added);
  }
  arguments.emplace_back(dilation);
  arguments.emplace_back(groups);
  std::string op =
      absl::StrCat(transposed ? "conv_transpose" : "conv", dimensions, "d");
  NS_ASSIGN_OR_RETURN(c10::IValue packed, Prepack(absl::StrCat(op, "_prepack"),
                                                  std::move(arguments)));
  return PackedLayer{std::move(op), std::move(packed)};
}

}  // namespace ns
