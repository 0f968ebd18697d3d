#include "passes/lowering/lowering_table.h"

#include <algorithm>
#include <iterator>

#include "ir/refusal.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

constexpr absl::string_view kHalf = "its weight is float16";
constexpr absl::string_view kRecurrent =
    "there is no ns kernel for recurrent layers";
constexpr absl::string_view kPerChannel =
    "there is no ns kernel for values with a scale for each channel";

// clang-format off
constexpr LoweringRow kRows[] = {
    {"aten::adaptive_avg_pool1d", "ns::fbgemm_adaptive_avg_pool1d", LowerOnCodes},
    {"aten::adaptive_avg_pool2d", "ns::fbgemm_adaptive_avg_pool2d", LowerOnCodes},
    {"aten::adaptive_avg_pool3d", "ns::fbgemm_adaptive_avg_pool3d", LowerOnCodes},
    {"aten::avg_pool1d", "ns::fbgemm_avg_pool1d", LowerOnCodes},
    {"aten::avg_pool2d", "ns::fbgemm_avg_pool2d", LowerOnCodes},
    {"aten::avg_pool3d", "ns::fbgemm_avg_pool3d", LowerOnCodes},
    {"aten::cat", "ns::fbgemm_cat", LowerCatOfCodes},
    {"aten::clamp", "ns::fbgemm_clamp", LowerOnCodes},
    {"aten::dequantize", "ns::fbgemm_dequantize", LowerDequantize},
    {"aten::hardsigmoid", "ns::fbgemm_hardsigmoid", LowerUnitInterval},
    {"aten::hardtanh", "ns::fbgemm_clamp", LowerOnCodes},
    {"aten::max_pool1d", "ns::fbgemm_max_pool1d", LowerOnCodes},
    {"aten::max_pool2d", "ns::fbgemm_max_pool2d", LowerOnCodes},
    {"aten::mean", "ns::fbgemm_mean", LowerMean},
    {"aten::quantize_per_channel", "", nullptr, kPerChannel},
    {"aten::quantize_per_tensor", "ns::fbgemm_quantize", LowerQuantize},
    {"aten::quantized_gru", "", nullptr, kRecurrent},
    {"aten::quantized_lstm", "", nullptr, kRecurrent},
    {"aten::quantized_max_pool1d", "ns::fbgemm_max_pool1d", LowerSameArguments},
    {"aten::quantized_max_pool2d", "ns::fbgemm_max_pool2d", LowerSameArguments},
    {"aten::relu", "ns::fbgemm_relu", LowerOnCodes},
    {"aten::relu6", "ns::fbgemm_clamp", LowerRelu6},
    {"aten::sigmoid", "ns::fbgemm_sigmoid", LowerUnitInterval},
    {"aten::tanh", "ns::fbgemm_tanh", LowerTanh},
    {"quantized::add", "ns::fbgemm_add", LowerTwoTensors},
    {"quantized::add_relu", "ns::fbgemm_add_relu", LowerTwoTensors},
    {"quantized::batch_norm", "ns::fbgemm_batch_norm", LowerSameArguments},
    {"quantized::batch_norm1d", "ns::fbgemm_batch_norm", LowerSameArguments},
    {"quantized::batch_norm1d_relu", "ns::fbgemm_batch_norm_relu", LowerSameArguments},
    {"quantized::batch_norm2d", "ns::fbgemm_batch_norm", LowerSameArguments},
    {"quantized::batch_norm2d_relu", "ns::fbgemm_batch_norm_relu", LowerSameArguments},
    {"quantized::batch_norm3d", "ns::fbgemm_batch_norm", LowerSameArguments},
    {"quantized::batch_norm3d_relu", "ns::fbgemm_batch_norm_relu", LowerSameArguments},
    {"quantized::batch_norm_relu", "ns::fbgemm_batch_norm_relu", LowerSameArguments},
    {"quantized::cat", "ns::fbgemm_cat", LowerSameArguments},
    {"quantized::cat_relu", "ns::fbgemm_cat_relu", LowerSameArguments},
    {"quantized::celu", "ns::fbgemm_celu", LowerSameArguments},
    {"quantized::clamp", "ns::fbgemm_clamp", LowerSameArguments},
    {"quantized::conv1d", "ns::fbgemm_conv1d", LowerConv},
    {"quantized::conv1d_dynamic", "ns::fbgemm_conv1d_dynamic", LowerConv},
    {"quantized::conv1d_relu", "ns::fbgemm_conv1d_relu", LowerConv},
    {"quantized::conv2d", "ns::fbgemm_conv2d", LowerConv},
    {"quantized::conv2d_dynamic", "ns::fbgemm_conv2d_dynamic", LowerConv},
    {"quantized::conv2d_relu", "ns::fbgemm_conv2d_relu", LowerConv},
    {"quantized::conv3d", "ns::fbgemm_conv3d", LowerConv},
    {"quantized::conv3d_dynamic", "ns::fbgemm_conv3d_dynamic", LowerConv},
    {"quantized::conv3d_relu", "ns::fbgemm_conv3d_relu", LowerConv},
    {"quantized::conv_transpose1d", "ns::fbgemm_conv_transpose1d", LowerConv},
    {"quantized::conv_transpose1d_dynamic", "ns::fbgemm_conv_transpose1d_dynamic", LowerConv},
    {"quantized::conv_transpose2d", "ns::fbgemm_conv_transpose2d", LowerConv},
    {"quantized::conv_transpose2d_dynamic", "ns::fbgemm_conv_transpose2d_dynamic", LowerConv},
    {"quantized::conv_transpose3d", "ns::fbgemm_conv_transpose3d", LowerConv},
    {"quantized::conv_transpose3d_dynamic", "ns::fbgemm_conv_transpose3d_dynamic", LowerConv},
    {"quantized::elu", "ns::fbgemm_elu", LowerSameArguments},
    {"quantized::embedding_4bit", "ns::fbgemm_embedding", LowerEmbedding},
    {"quantized::embedding_bag_4bit", "ns::fbgemm_embedding_bag", LowerEmbeddingBag},
    {"quantized::embedding_bag_byte", "ns::fbgemm_embedding_bag", LowerEmbeddingBag},
    {"quantized::embedding_byte", "ns::fbgemm_embedding", LowerEmbedding},
    {"quantized::group_norm", "ns::fbgemm_group_norm", LowerSameArguments},
    {"quantized::hardswish", "ns::fbgemm_hardswish", LowerSameArguments},
    {"quantized::instance_norm", "ns::fbgemm_instance_norm", LowerSameArguments},
    {"quantized::layer_norm", "ns::fbgemm_layer_norm", LowerSameArguments},
    {"quantized::leaky_relu", "ns::fbgemm_leaky_relu", LowerSameArguments},
    {"quantized::linear", "ns::fbgemm_linear", LowerLinear},
    {"quantized::linear_dynamic", "ns::fbgemm_linear_dynamic", LowerLinear},
    {"quantized::linear_dynamic_fp16", "", nullptr, kHalf},
    {"quantized::linear_relu", "ns::fbgemm_linear_relu", LowerLinear},
    {"quantized::linear_relu_dynamic", "ns::fbgemm_linear_relu_dynamic", LowerLinear},
    {"quantized::linear_relu_dynamic_fp16", "", nullptr, kHalf},
    {"quantized::max_pool1d", "ns::fbgemm_max_pool1d", LowerSameArguments},
    {"quantized::max_pool2d", "ns::fbgemm_max_pool2d", LowerSameArguments},
    {"quantized::mul", "ns::fbgemm_mul", LowerTwoTensors},
    {"quantized::mul_relu", "ns::fbgemm_mul_relu", LowerTwoTensors},
    {"quantized::quantized_gru_cell_dynamic", "", nullptr, kRecurrent},
    {"quantized::quantized_lstm_cell_dynamic", "", nullptr, kRecurrent},
    {"quantized::quantized_rnn_relu_cell_dynamic", "", nullptr, kRecurrent},
    {"quantized::quantized_rnn_tanh_cell_dynamic", "", nullptr, kRecurrent},
    {"quantized::relu6", "ns::fbgemm_clamp", LowerRelu6},
    {"quantized::sigmoid", "ns::fbgemm_sigmoid", LowerSameArguments},
};
// clang-format on

}  // namespace

absl::Span<const LoweringRow> LoweringTable() { return kRows; }

absl::StatusOr<LoweringRow> FindLowering(absl::string_view op) {
  const OpRow* row = FindOp(op);
  const absl::string_view key = row == nullptr ? op : row->op;
  const auto* found = std::lower_bound(
      std::begin(kRows), std::end(kRows), key,
      [](const LoweringRow& a, absl::string_view b) { return a.op < b; });
  if (found == std::end(kRows) || found->op != key) {
    return Refusal("there is no ns kernel for it");
  }
  if (found->form == nullptr) {
    return Refusal(found->reason);
  }
  return *found;
}

}  // namespace ns
