#include "passes/lowering/fold/quantized_ops.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "ir/node_view.h"
#include "passes/lowering/fold/code_ops.h"
#include "passes/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool IsConstantBool(const Node& node, absl::string_view name, bool expected) {
  const Value* input = InputNamed(node, name);
  const auto constant = input == nullptr ? std::nullopt : ConstantOf(*input);
  return constant && constant->isBool() && constant->toBool() == expected;
}

absl::string_view AddReason(const Node& node) {
  const Value* alpha = InputNamed(node, "alpha");
  if (alpha == nullptr) {
    return "";
  }
  const auto constant = ConstantOf(*alpha);
  return constant && constant->isScalar() &&
                 constant->toScalar().toDouble() == 1.0
             ? ""
             : "it multiplies its second operand";
}

absl::string_view BatchNormReason(const Node& node) {
  if (!IsConstantBool(node, "training", false)) {
    return "it takes its statistics from the batch";
  }
  return InputNamed(node, "weight")->mustBeNone() ||
                 InputNamed(node, "bias")->mustBeNone()
             ? "its kernel needs a weight and a bias"
             : "";
}

// Of ops whose outputs have three dimensions or more.
bool IsImageFamily(absl::string_view family) {
  return absl::EndsWith(family, "2d") || absl::EndsWith(family, "3d") ||
         family == "conv2d_add" || family == "interpolate";
}

// Of ops whose outputs have as many dimensions as their first input, or more.
constexpr absl::string_view kKeepDimensions[] = {
    "add",  "batch_norm", "dropout", "elu",  "gelu",    "hardswish", "hardtanh",
    "mish", "leaky_relu", "mul",     "relu", "sigmoid", "silu"};

// Whether the ops that `value` comes from show it to have three dimensions or
// more.
bool IsSurelyImage(const Value& value) {
  for (const Value* image = &value;;) {
    const Node& node = *image->node();
    const OpRow* row = FindOp(OpName(node));
    if (row == nullptr) {
      return false;
    }
    // LibTorch's convolutions of codes take batches only.
    const bool is_conv1d_of_codes =
        row->numerics == Numerics::kInt8 &&
        (row->family == "conv1d" || row->family == "conv_transpose1d");
    if (is_conv1d_of_codes || IsImageFamily(row->family)) {
      return true;
    }
    if (node.inputs().empty() ||
        !(row->role == Role::kQuantize || row->role == Role::kDequantize ||
          absl::c_linear_search(kKeepDimensions, row->family))) {
      return false;
    }
    image = node.input(0);
  }
}

// LibTorch's kernel refuses fewer, which the float op takes.
absl::string_view GroupNormReason(const Node& node) {
  return IsSurelyImage(*InputNamed(node, "input"))
             ? ""
             : "its kernel needs three dimensions, and its input is not known "
               "to have them";
}

absl::string_view InstanceNormReason(const Node& node) {
  return IsConstantBool(node, "use_input_stats", true)
             ? ""
             : "it takes its statistics from elsewhere";
}

absl::string_view SoftmaxReason(const Node& node) {
  return InputNamed(node, "dtype")->mustBeNone() ? "" : "it asks for a type";
}

constexpr bool kFusesRelu = true;

// clang-format off
constexpr QuantizedOp kQuantizedOps[] = {
    {"aten::_convolution", InsertPackedConv, "", "_relu", kFusesRelu},
    {"aten::add", InsertBinary, "quantized::add", "quantized::add_relu", kFusesRelu, AddReason},
    {"aten::batch_norm", InsertByName, "quantized::batch_norm", "quantized::batch_norm_relu", kFusesRelu, BatchNormReason},
    {"aten::bmm", InsertBinary, "quantized::matmul", ""},
    {"aten::cat", InsertList, "quantized::cat", "quantized::cat_relu", kFusesRelu},
    {"aten::celu", InsertByName, "quantized::celu", ""},
    {"aten::concat", InsertList, "quantized::cat", "quantized::cat_relu", kFusesRelu},
    {"aten::conv1d", InsertPackedConv, "", "_relu", kFusesRelu},
    {"aten::conv2d", InsertPackedConv, "", "_relu", kFusesRelu},
    {"aten::conv3d", InsertPackedConv, "", "_relu", kFusesRelu},
    {"aten::conv_transpose1d", InsertPackedConv, "", ""},
    {"aten::conv_transpose2d", InsertPackedConv, "", ""},
    {"aten::conv_transpose3d", InsertPackedConv, "", ""},
    {"aten::elu", InsertByName, "quantized::elu", ""},
    {"aten::gelu", InsertOurs, "ns::fbgemm_gelu", ""},
    {"aten::group_norm", InsertByName, "quantized::group_norm", "", !kFusesRelu, GroupNormReason},
    {"aten::hardsigmoid", InsertFixed, "", ""},
    {"aten::hardswish", InsertByName, "quantized::hardswish", ""},
    {"aten::instance_norm", InsertByName, "quantized::instance_norm", "", !kFusesRelu, InstanceNormReason},
    {"aten::layer_norm", InsertByName, "quantized::layer_norm", ""},
    {"aten::leaky_relu", InsertByName, "quantized::leaky_relu", ""},
    {"aten::linear", InsertPackedLinear, "", "_relu", kFusesRelu},
    {"aten::matmul", InsertBinary, "quantized::matmul", ""},
    {"aten::mish", InsertOurs, "ns::fbgemm_mish", ""},
    {"aten::mm", InsertBinary, "quantized::matmul", ""},
    {"aten::mul", InsertBinary, "quantized::mul", "quantized::mul_relu", kFusesRelu},
    {"aten::selu", InsertOurs, "ns::fbgemm_selu", ""},
    {"aten::sigmoid", InsertSigmoid, "quantized::sigmoid", ""},
    {"aten::silu", InsertOurs, "ns::fbgemm_silu", ""},
    {"aten::softmax", InsertByName, "quantized::softmax", "", !kFusesRelu, SoftmaxReason},
    {"aten::softplus", InsertOurs, "ns::fbgemm_softplus", ""},
    {"aten::tanh", InsertFixed, "", ""},
};
// clang-format on

}  // namespace

absl::Span<const QuantizedOp> QuantizedOpTable() { return kQuantizedOps; }

const QuantizedOp* FindQuantizedOp(absl::string_view float_op) {
  const auto* found = std::lower_bound(
      std::begin(kQuantizedOps), std::end(kQuantizedOps), float_op,
      [](const QuantizedOp& row, absl::string_view op) {
        return row.float_op < op;
      });
  return found != std::end(kQuantizedOps) && found->float_op == float_op
             ? found
             : nullptr;
}

bool MayBeQuantized(const Node& node) {
  return node.kind() == c10::aten::dequantize || node.kind() == c10::prim::If ||
         FindQuantizedOp(OpName(node)) != nullptr ||
         FindCodeOp(OpName(node)) != nullptr;
}

}  // namespace ns
