#include "passes/lowering/fold/quantized_ops.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "ir/node_view.h"
#include "ir/refusal.h"
#include "passes/lowering/fold/code_ops.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

bool IsConstantBool(const Node& node, absl::string_view name, bool expected) {
  const Value* input = InputNamed(node, name);
  const auto constant = input == nullptr ? std::nullopt : ConstantOf(*input);
  return constant && constant->isBool() && constant->toBool() == expected;
}

absl::Status CheckAdd(const Node& node) {
  const Value* alpha = InputNamed(node, "alpha");
  if (alpha == nullptr) {
    return absl::OkStatus();
  }
  const auto constant = ConstantOf(*alpha);
  return constant && constant->isScalar() &&
                 constant->toScalar().toDouble() == 1.0
             ? absl::OkStatus()
             : Refusal("it multiplies its second operand");
}

absl::Status CheckBatchNorm(const Node& node) {
  if (!IsConstantBool(node, "training", false)) {
    return Refusal("it takes its statistics from the batch");
  }
  return InputNamed(node, "weight")->mustBeNone() ||
                 InputNamed(node, "bias")->mustBeNone()
             ? Refusal("its kernel needs a weight and a bias")
             : absl::OkStatus();
}

absl::Status CheckInstanceNorm(const Node& node) {
  return IsConstantBool(node, "use_input_stats", true)
             ? absl::OkStatus()
             : Refusal("it takes its statistics from elsewhere");
}

absl::Status CheckSoftmax(const Node& node) {
  return InputNamed(node, "dtype")->mustBeNone()
             ? absl::OkStatus()
             : Refusal("it asks for a type");
}

constexpr bool kFusesRelu = true;

// clang-format off
constexpr QuantizedOp kQuantizedOps[] = {
    {"aten::_convolution", InsertPackedConv, "", "_relu", kFusesRelu},
    {"aten::add", InsertBinary, "quantized::add", "quantized::add_relu", kFusesRelu, CheckAdd},
    {"aten::batch_norm", InsertByName, "quantized::batch_norm", "quantized::batch_norm_relu", kFusesRelu, CheckBatchNorm},
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
    {"aten::group_norm", InsertGroupNorm, "quantized::group_norm", ""},
    {"aten::hardsigmoid", InsertFixed, "", ""},
    {"aten::hardswish", InsertByName, "quantized::hardswish", ""},
    {"aten::instance_norm", InsertGroupNorm, "quantized::instance_norm", "", !kFusesRelu, CheckInstanceNorm},
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
    {"aten::softmax", InsertByName, "quantized::softmax", "", !kFusesRelu, CheckSoftmax},
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

absl::Status CheckCall(const QuantizedOp& row, const Node& node) {
  return row.check == nullptr ? absl::OkStatus() : row.check(node);
}

bool MayBeQuantized(const Node& node) {
  return node.kind() == c10::aten::dequantize || node.kind() == c10::prim::If ||
         FindQuantizedOp(OpName(node)) != nullptr ||
         FindCodeOp(OpName(node)) != nullptr;
}

}  // namespace ns
