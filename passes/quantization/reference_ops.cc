#include "passes/quantization/reference_ops.h"

#include <algorithm>
#include <iterator>

#include "absl/status/status.h"
#include "ir/refusal.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

constexpr absl::string_view kRawRows =
    "its table is a tensor of bytes, which hold the scales of rows, too";
constexpr absl::string_view kHandsOn = "it only hands its data on";
constexpr absl::string_view kQuantizes = "it only quantizes";
constexpr absl::string_view kTwoOps =
    "a convolution with its sum has no reference kernel";
constexpr absl::string_view kRecurrent =
    "recurrent layers have no reference kernel";

// clang-format off
constexpr ReferenceOp kReferences[] = {
    {"aten::int_repr", "", nullptr, kHandsOn},
    {"aten::quantize_per_channel", "", nullptr, kQuantizes},
    {"aten::quantize_per_tensor", "", nullptr, kQuantizes},
    {"aten::quantize_per_tensor_dynamic", "", nullptr, kQuantizes},
    {"aten::quantized_gru", "", nullptr, kRecurrent},
    {"aten::quantized_lstm", "", nullptr, kRecurrent},
    {"aten::quantized_max_pool1d", "aten::max_pool1d", InsertSameArguments},
    {"aten::quantized_max_pool2d", "aten::max_pool2d", InsertSameArguments},
    {"ns::fbgemm_adaptive_avg_pool1d", "aten::adaptive_avg_pool1d", InsertSameArguments},
    {"ns::fbgemm_adaptive_avg_pool2d", "aten::adaptive_avg_pool2d", InsertSameArguments},
    {"ns::fbgemm_adaptive_avg_pool3d", "aten::adaptive_avg_pool3d", InsertSameArguments},
    {"ns::fbgemm_add", "aten::add", InsertCommutative},
    {"ns::fbgemm_add_relu", "aten::add", InsertCommutative},
    {"ns::fbgemm_avg_pool1d", "aten::avg_pool1d", InsertSameArguments},
    {"ns::fbgemm_avg_pool2d", "aten::avg_pool2d", InsertSameArguments},
    {"ns::fbgemm_avg_pool3d", "aten::avg_pool3d", InsertSameArguments},
    {"ns::fbgemm_batch_norm", "aten::batch_norm", InsertBatchNorm},
    {"ns::fbgemm_batch_norm_relu", "aten::batch_norm", InsertBatchNorm},
    {"ns::fbgemm_cat", "aten::cat", InsertSameArguments},
    {"ns::fbgemm_cat_relu", "aten::cat", InsertSameArguments},
    {"ns::fbgemm_celu", "aten::celu", InsertSameArguments},
    {"ns::fbgemm_clamp", "aten::clamp", InsertSameArguments},
    {"ns::fbgemm_conv1d", "aten::conv1d", InsertConv},
    {"ns::fbgemm_conv1d_clamp", "aten::conv1d", InsertConv},
    {"ns::fbgemm_conv1d_dynamic", "aten::conv1d", InsertConv},
    {"ns::fbgemm_conv1d_relu", "aten::conv1d", InsertConv},
    {"ns::fbgemm_conv2d", "aten::conv2d", InsertConv},
    {"ns::fbgemm_conv2d_add", "", nullptr, kTwoOps},
    {"ns::fbgemm_conv2d_add_relu", "", nullptr, kTwoOps},
    {"ns::fbgemm_conv2d_clamp", "aten::conv2d", InsertConv},
    {"ns::fbgemm_conv2d_dynamic", "aten::conv2d", InsertConv},
    {"ns::fbgemm_conv2d_relu", "aten::conv2d", InsertConv},
    {"ns::fbgemm_conv3d", "aten::conv3d", InsertConv},
    {"ns::fbgemm_conv3d_clamp", "aten::conv3d", InsertConv},
    {"ns::fbgemm_conv3d_dynamic", "aten::conv3d", InsertConv},
    {"ns::fbgemm_conv3d_relu", "aten::conv3d", InsertConv},
    {"ns::fbgemm_conv_transpose1d", "aten::conv_transpose1d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose1d_clamp", "aten::conv_transpose1d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose1d_dynamic", "aten::conv_transpose1d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose1d_relu", "aten::conv_transpose1d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose2d", "aten::conv_transpose2d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose2d_clamp", "aten::conv_transpose2d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose2d_dynamic", "aten::conv_transpose2d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose2d_relu", "aten::conv_transpose2d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose3d", "aten::conv_transpose3d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose3d_clamp", "aten::conv_transpose3d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose3d_dynamic", "aten::conv_transpose3d", InsertConvTranspose},
    {"ns::fbgemm_conv_transpose3d_relu", "aten::conv_transpose3d", InsertConvTranspose},
    {"ns::fbgemm_elu", "aten::elu", InsertSameArguments},
    {"ns::fbgemm_embedding", "aten::embedding", InsertEmbedding},
    {"ns::fbgemm_embedding_bag", "aten::embedding_bag", InsertEmbeddingBag},
    {"ns::fbgemm_gelu", "aten::gelu", InsertSameArguments},
    {"ns::fbgemm_group_norm", "aten::group_norm", InsertSameArguments},
    {"ns::fbgemm_hardsigmoid", "aten::hardsigmoid", InsertSameArguments},
    {"ns::fbgemm_hardswish", "aten::hardswish", InsertSameArguments},
    {"ns::fbgemm_instance_norm", "aten::instance_norm", InsertInstanceNorm},
    {"ns::fbgemm_layer_norm", "aten::layer_norm", InsertSameArguments},
    {"ns::fbgemm_leaky_relu", "aten::leaky_relu", InsertSameArguments},
    {"ns::fbgemm_linear", "aten::linear", InsertLinear},
    {"ns::fbgemm_linear_clamp", "aten::linear", InsertLinear},
    {"ns::fbgemm_linear_dynamic", "aten::linear", InsertLinear},
    {"ns::fbgemm_linear_relu", "aten::linear", InsertLinear},
    {"ns::fbgemm_linear_relu_dynamic", "aten::linear", InsertLinear},
    {"ns::fbgemm_max_pool1d", "aten::max_pool1d", InsertSameArguments},
    {"ns::fbgemm_max_pool2d", "aten::max_pool2d", InsertSameArguments},
    {"ns::fbgemm_max_pool3d", "aten::max_pool3d", InsertSameArguments},
    {"ns::fbgemm_mean", "aten::mean", InsertSameArguments},
    {"ns::fbgemm_mish", "aten::mish", InsertSameArguments},
    {"ns::fbgemm_mul", "aten::mul", InsertCommutative},
    {"ns::fbgemm_mul_relu", "aten::mul", InsertCommutative},
    {"ns::fbgemm_quantize", "", nullptr, kQuantizes},
    {"ns::fbgemm_relu", "aten::relu", InsertSameArguments},
    {"ns::fbgemm_requantize", "", nullptr, kQuantizes},
    {"ns::fbgemm_selu", "aten::selu", InsertSameArguments},
    {"ns::fbgemm_sigmoid", "aten::sigmoid", InsertSameArguments},
    {"ns::fbgemm_silu", "aten::silu", InsertSameArguments},
    {"ns::fbgemm_softplus", "aten::softplus", InsertSameArguments},
    {"ns::fbgemm_tanh", "aten::tanh", InsertSameArguments},
    {"quantized::add", "aten::add", InsertCommutative},
    {"quantized::add_out", "aten::add", InsertCommutative},
    {"quantized::add_relu", "aten::add", InsertCommutative},
    {"quantized::add_relu_out", "aten::add", InsertCommutative},
    {"quantized::add_scalar", "aten::add", InsertCommutative},
    {"quantized::add_scalar_out", "aten::add", InsertCommutative},
    {"quantized::add_scalar_relu", "aten::add", InsertCommutative},
    {"quantized::add_scalar_relu_out", "aten::add", InsertCommutative},
    {"quantized::batch_norm", "aten::batch_norm", InsertBatchNorm},
    {"quantized::batch_norm1d", "aten::batch_norm", InsertBatchNorm},
    {"quantized::batch_norm1d_relu", "aten::batch_norm", InsertBatchNorm},
    {"quantized::batch_norm2d", "aten::batch_norm", InsertBatchNorm},
    {"quantized::batch_norm2d_relu", "aten::batch_norm", InsertBatchNorm},
    {"quantized::batch_norm3d", "aten::batch_norm", InsertBatchNorm},
    {"quantized::batch_norm3d_relu", "aten::batch_norm", InsertBatchNorm},
    {"quantized::batch_norm_relu", "aten::batch_norm", InsertBatchNorm},
    {"quantized::cat", "aten::cat", InsertSameArguments},
    {"quantized::cat_out", "aten::cat", InsertSameArguments},
    {"quantized::cat_relu", "aten::cat", InsertSameArguments},
    {"quantized::cat_relu_out", "aten::cat", InsertSameArguments},
    {"quantized::celu", "aten::celu", InsertSameArguments},
    {"quantized::clamp", "aten::clamp", InsertSameArguments},
    {"quantized::conv1d", "aten::conv1d", InsertConv},
    {"quantized::conv1d_dynamic", "aten::conv1d", InsertConv},
    {"quantized::conv1d_relu", "aten::conv1d", InsertConv},
    {"quantized::conv2d", "aten::conv2d", InsertConv},
    {"quantized::conv2d_dynamic", "aten::conv2d", InsertConv},
    {"quantized::conv2d_relu", "aten::conv2d", InsertConv},
    {"quantized::conv3d", "aten::conv3d", InsertConv},
    {"quantized::conv3d_dynamic", "aten::conv3d", InsertConv},
    {"quantized::conv3d_relu", "aten::conv3d", InsertConv},
    {"quantized::conv_transpose1d", "aten::conv_transpose1d", InsertConvTranspose},
    {"quantized::conv_transpose1d_dynamic", "aten::conv_transpose1d", InsertConvTranspose},
    {"quantized::conv_transpose2d", "aten::conv_transpose2d", InsertConvTranspose},
    {"quantized::conv_transpose2d_dynamic", "aten::conv_transpose2d", InsertConvTranspose},
    {"quantized::conv_transpose3d", "aten::conv_transpose3d", InsertConvTranspose},
    {"quantized::conv_transpose3d_dynamic", "aten::conv_transpose3d", InsertConvTranspose},
    {"quantized::dropout", "", nullptr, kHandsOn},
    {"quantized::elu", "aten::elu", InsertSameArguments},
    {"quantized::embedding_4bit", "aten::embedding", InsertEmbedding},
    {"quantized::embedding_bag_2bit_rowwise_offsets", "", nullptr, kRawRows},
    {"quantized::embedding_bag_4bit", "aten::embedding_bag", InsertEmbeddingBag},
    {"quantized::embedding_bag_4bit_rowwise_offsets", "", nullptr, kRawRows},
    {"quantized::embedding_bag_byte", "aten::embedding_bag", InsertEmbeddingBag},
    {"quantized::embedding_bag_byte_rowwise_offsets", "", nullptr, kRawRows},
    {"quantized::embedding_byte", "aten::embedding", InsertEmbedding},
    {"quantized::group_norm", "aten::group_norm", InsertSameArguments},
    {"quantized::hardswish", "aten::hardswish", InsertSameArguments},
    {"quantized::instance_norm", "aten::instance_norm", InsertInstanceNorm},
    {"quantized::layer_norm", "aten::layer_norm", InsertSameArguments},
    {"quantized::leaky_relu", "aten::leaky_relu", InsertSameArguments},
    {"quantized::linear", "aten::linear", InsertLinear},
    {"quantized::linear_dynamic", "aten::linear", InsertLinear},
    {"quantized::linear_dynamic_fp16", "aten::linear", InsertLinear},
    {"quantized::linear_relu", "aten::linear", InsertLinear},
    {"quantized::linear_relu_dynamic", "aten::linear", InsertLinear},
    {"quantized::linear_relu_dynamic_fp16", "aten::linear", InsertLinear},
    {"quantized::matmul", "aten::matmul", InsertSameArguments},
    {"quantized::max_pool1d", "aten::max_pool1d", InsertSameArguments},
    {"quantized::max_pool2d", "aten::max_pool2d", InsertSameArguments},
    {"quantized::mul", "aten::mul", InsertCommutative},
    {"quantized::mul_out", "aten::mul", InsertCommutative},
    {"quantized::mul_relu", "aten::mul", InsertCommutative},
    {"quantized::mul_relu_out", "aten::mul", InsertCommutative},
    {"quantized::mul_scalar", "aten::mul", InsertCommutative},
    {"quantized::mul_scalar_out", "aten::mul", InsertCommutative},
    {"quantized::mul_scalar_relu", "aten::mul", InsertCommutative},
    {"quantized::mul_scalar_relu_out", "aten::mul", InsertCommutative},
    {"quantized::prelu", "aten::prelu", InsertSameArguments},
    {"quantized::quantized_gru_cell_dynamic", "", nullptr, kRecurrent},
    {"quantized::quantized_lstm_cell_dynamic", "", nullptr, kRecurrent},
    {"quantized::quantized_rnn_relu_cell_dynamic", "", nullptr, kRecurrent},
    {"quantized::quantized_rnn_tanh_cell_dynamic", "", nullptr, kRecurrent},
    {"quantized::relu6", "aten::relu6", InsertSameArguments},
    {"quantized::sigmoid", "aten::sigmoid", InsertSameArguments},
    {"quantized::softmax", "aten::softmax", InsertSameArguments},
    {"quantized::threshold", "aten::threshold", InsertSameArguments},
};
// clang-format on

// The reference of an op that is not in the table: itself.
absl::StatusOr<ReferenceOp> OwnReference(const OpRow& row) {
  if (row.role == Role::kSource) {
    return Refusal("it makes its data from nothing");
  }
  if (row.role != Role::kCompute || row.family == "dropout") {
    return Refusal(kHandsOn);
  }
  if (row.numerics == Numerics::kFloat) {
    return Refusal("it computes in float");
  }
  return ReferenceOp{row.op, row.op, InsertSameOp};
}

}  // namespace

absl::Span<const ReferenceOp> ReferenceTable() { return kReferences; }

absl::StatusOr<ReferenceOp> FindReference(absl::string_view op) {
  const OpRow* row = FindOp(op);
  if (row == nullptr) {
    return Refusal("its op is unknown");
  }
  const auto* found =
      std::lower_bound(std::begin(kReferences), std::end(kReferences), row->op,
                       [](const ReferenceOp& reference, absl::string_view key) {
                         return reference.op < key;
                       });
  if (found == std::end(kReferences) || found->op != row->op) {
    return OwnReference(*row);
  }
  if (found->form == nullptr) {
    return Refusal(found->reason);
  }
  return *found;
}

}  // namespace ns
