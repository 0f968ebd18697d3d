// What PyTorch's tests claim of the FX suite's tables of ops, of ours: see the
// table in tests/README.md.
#include <torch/csrc/jit/runtime/operator.h>

#include <string>

#include "gtest/gtest.h"
#include "passes/ops/op_relations.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

// What PyTorch's quantization puts in the place of an op by default.
struct QuantizedForm {
  const char* op;
  const char* quantized;
  Numerics numerics;
};

constexpr QuantizedForm kStaticForms[] = {
    {"aten::add", "quantized::add", Numerics::kInt8},
    {"aten::add", "quantized::add_relu", Numerics::kInt8},
    {"aten::batch_norm", "quantized::batch_norm2d", Numerics::kInt8},
    {"aten::batch_norm", "quantized::batch_norm2d_relu", Numerics::kInt8},
    {"aten::batch_norm", "quantized::batch_norm3d", Numerics::kInt8},
    {"aten::batch_norm", "quantized::batch_norm3d_relu", Numerics::kInt8},
    {"aten::conv1d", "quantized::conv1d", Numerics::kInt8},
    {"aten::conv1d", "quantized::conv1d_relu", Numerics::kInt8},
    {"aten::conv2d", "quantized::conv2d", Numerics::kInt8},
    {"aten::conv2d", "quantized::conv2d_relu", Numerics::kInt8},
    {"aten::conv3d", "quantized::conv3d", Numerics::kInt8},
    {"aten::conv3d", "quantized::conv3d_relu", Numerics::kInt8},
    {"aten::conv_transpose1d", "quantized::conv_transpose1d", Numerics::kInt8},
    {"aten::conv_transpose2d", "quantized::conv_transpose2d", Numerics::kInt8},
    {"aten::conv_transpose3d", "quantized::conv_transpose3d", Numerics::kInt8},
    {"aten::dropout", "quantized::dropout", Numerics::kInt8},
    {"aten::elu", "quantized::elu", Numerics::kInt8},
    {"aten::embedding", "quantized::embedding_4bit", Numerics::kInt8},
    {"aten::embedding", "quantized::embedding_byte", Numerics::kInt8},
    {"aten::embedding_bag", "quantized::embedding_bag_4bit", Numerics::kInt8},
    {"aten::embedding_bag", "quantized::embedding_bag_byte", Numerics::kInt8},
    {"aten::group_norm", "quantized::group_norm", Numerics::kInt8},
    {"aten::hardswish", "quantized::hardswish", Numerics::kInt8},
    {"aten::instance_norm", "quantized::instance_norm", Numerics::kInt8},
    {"aten::layer_norm", "quantized::layer_norm", Numerics::kInt8},
    {"aten::leaky_relu", "quantized::leaky_relu", Numerics::kInt8},
    {"aten::linear", "quantized::linear", Numerics::kInt8},
    {"aten::linear", "quantized::linear_relu", Numerics::kInt8},
    {"aten::matmul", "quantized::matmul", Numerics::kInt8},
    {"aten::mul", "quantized::mul", Numerics::kInt8},
    {"aten::mul", "quantized::mul_relu", Numerics::kInt8},
    {"aten::prelu", "quantized::prelu", Numerics::kInt8},
    {"aten::relu6", "quantized::relu6", Numerics::kInt8},
    {"aten::softmax", "quantized::softmax", Numerics::kInt8},
};

constexpr QuantizedForm kDynamicForms[] = {
    {"aten::gru", "aten::quantized_gru", Numerics::kDynamic},
    {"aten::gru_cell", "quantized::quantized_gru_cell_dynamic",
     Numerics::kDynamic},
    {"aten::linear", "quantized::linear_dynamic", Numerics::kDynamic},
    {"aten::linear", "quantized::linear_dynamic_fp16", Numerics::kFp16},
    {"aten::linear", "quantized::linear_relu_dynamic", Numerics::kDynamic},
    {"aten::lstm", "aten::quantized_lstm", Numerics::kDynamic},
    {"aten::lstm_cell", "quantized::quantized_lstm_cell_dynamic",
     Numerics::kDynamic},
    {"aten::rnn_relu_cell", "quantized::quantized_rnn_relu_cell_dynamic",
     Numerics::kDynamic},
    {"aten::rnn_tanh_cell", "quantized::quantized_rnn_tanh_cell_dynamic",
     Numerics::kDynamic},
};

// Ops that take float and quantized tensors alike.
constexpr const char* kEither[] = {
    "aten::adaptive_avg_pool1d",
    "aten::adaptive_avg_pool2d",
    "aten::adaptive_avg_pool3d",
    "aten::avg_pool2d",
    "aten::avg_pool3d",
    "aten::cat",
    "aten::chunk",
    "aten::clamp",
    "aten::dropout",
    "aten::flatten",
    "aten::hardsigmoid",
    "aten::hardtanh",
    "aten::hardtanh_",
    "aten::max_pool1d",
    "aten::max_pool2d",
    "aten::mean",
    "aten::min",
    "aten::permute",
    "aten::relu",
    "aten::relu_",
    "aten::repeat_interleave",
    "aten::reshape",
    "aten::sigmoid",
    "aten::squeeze",
    "aten::stack",
    "aten::tanh",
    "aten::transpose",
    "aten::unsqueeze",
    "aten::upsample_bilinear2d",
    "aten::upsample_nearest2d",
    "aten::view",
};

bool LibTorchHas(const char* op) {
  return !torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(op))
              .empty();
}

template <typename Forms>
void ExpectRelated(const Forms& forms) {
  const OpRelations relations;
  for (const QuantizedForm& form : forms) {
    SCOPED_TRACE(form.quantized);
    EXPECT_TRUE(LibTorchHas(form.op));
    EXPECT_TRUE(LibTorchHas(form.quantized));
    EXPECT_EQ(relations.FamilyOf(form.op), relations.FamilyOf(form.quantized));
  }
}

template <typename Forms>
void ExpectNumerics(const Forms& forms) {
  for (const QuantizedForm& form : forms) {
    SCOPED_TRACE(form.quantized);
    const OpRow* original = FindOp(form.op);
    const OpRow* quantized = FindOp(form.quantized);
    ASSERT_NE(original, nullptr);
    ASSERT_NE(quantized, nullptr);
    EXPECT_TRUE(original->numerics == Numerics::kFloat ||
                original->numerics == Numerics::kEither);
    EXPECT_EQ(quantized->numerics, form.numerics);
  }
}

TEST(ReferenceOpsTest, EveryOpIsRelatedToItsQuantizedForm) {
  ExpectRelated(kStaticForms);
  ExpectRelated(kDynamicForms);
}

TEST(ReferenceOpsTest, EveryOpTellsWhatItComputesWith) {
  ExpectNumerics(kStaticForms);
  ExpectNumerics(kDynamicForms);
  for (const char* op : kEither) {
    SCOPED_TRACE(op);
    EXPECT_TRUE(LibTorchHas(op));
    const OpRow* row = FindOp(op);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->numerics, Numerics::kEither);
  }
}

}  // namespace
}  // namespace ns
