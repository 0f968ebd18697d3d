#include "passes/quantization/reference/reference_ops.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

std::string ReasonFor(absl::string_view op) {
  return MessageOf(FindReference(op));
}

TEST(FindReferenceTest, FloatOpsAreOfTheFamilyAndInLibTorch) {
  int references = 0;
  for (const OpRow& row : OpTable()) {
    const absl::StatusOr<ReferenceOp> reference = FindReference(row.op);
    if (!IsQuantizedOp(row) || !reference.ok()) {
      continue;
    }
    ++references;
    const OpRow* float_op = FindOp(reference->float_op);
    ASSERT_NE(float_op, nullptr) << reference->float_op;
    EXPECT_EQ(float_op->family, row.family) << row.op;
    EXPECT_FALSE(IsQuantizedOp(*float_op)) << row.op;
    EXPECT_FALSE(IsLoweredOp(float_op->op)) << row.op;
    EXPECT_NE(reference->form, ReferenceForm::kSameOp) << row.op;
    EXPECT_FALSE(torch::jit::getAllOperatorsFor(
                     c10::Symbol::fromQualString(std::string(float_op->op)))
                     .empty())
        << float_op->op;
  }
  EXPECT_GT(references, 100);
}

TEST(FindReferenceTest, AFamilyIsComputedByItsFirstFloatOp) {
  EXPECT_EQ(OrThrow(FindReference("quantized::matmul")).float_op,
            "aten::matmul");
  EXPECT_EQ(OrThrow(FindReference("ns::fbgemm_clamp")).float_op, "aten::clamp");
  EXPECT_EQ(OrThrow(FindReference("quantized::relu6")).float_op, "aten::relu6");
}

TEST(FindReferenceTest, OnlyTheseQuantizedOpsHaveNone) {
  std::vector<std::string> ops;
  for (const OpRow& row : OpTable()) {
    if (IsQuantizedOp(row) && !FindReference(row.op).ok()) {
      ops.emplace_back(row.op);
    }
  }
  EXPECT_THAT(
      ops,
      ElementsAre("aten::int_repr", "aten::quantize_per_channel",
                  "aten::quantize_per_tensor",
                  "aten::quantize_per_tensor_dynamic", "aten::quantized_gru",
                  "aten::quantized_lstm", "ns::fbgemm_conv1d_add",
                  "ns::fbgemm_conv1d_add_relu", "ns::fbgemm_conv2d_add",
                  "ns::fbgemm_conv2d_add_relu", "ns::fbgemm_conv3d_add",
                  "ns::fbgemm_conv3d_add_relu", "ns::fbgemm_linear_add",
                  "ns::fbgemm_linear_add_relu", "ns::fbgemm_quantize",
                  "ns::fbgemm_requantize", "quantized::conv2d_add",
                  "quantized::conv2d_add_relu", "quantized::dropout",
                  "quantized::embedding_bag_2bit_rowwise_offsets",
                  "quantized::embedding_bag_4bit_rowwise_offsets",
                  "quantized::embedding_bag_byte_rowwise_offsets",
                  "quantized::quantized_gru_cell_dynamic",
                  "quantized::quantized_lstm_cell_dynamic",
                  "quantized::quantized_rnn_relu_cell_dynamic",
                  "quantized::quantized_rnn_tanh_cell_dynamic"));
}

TEST(FindReferenceTest, OpsOfEitherDtypeAreTheirOwnReferences) {
  for (const OpRow& row : OpTable()) {
    if (row.numerics == Numerics::kEither && row.role == Role::kCompute &&
        row.family != "dropout") {
      const ReferenceOp reference = OrThrow(FindReference(row.op));
      EXPECT_EQ(reference.float_op, row.op);
      EXPECT_EQ(reference.form, ReferenceForm::kSameOp) << row.op;
    }
  }
}

TEST(FindReferenceTest, OpsInPlaceAreComputedOutOfPlace) {
  EXPECT_EQ(OrThrow(FindReference("aten::relu_")).float_op, "aten::relu");
}

TEST(FindReferenceTest, SaysWhyThereIsNone) {
  EXPECT_EQ(ReasonFor("aten::quantized_lstm"),
            "recurrent layers have no reference kernel");
  EXPECT_EQ(ReasonFor("ns::fbgemm_conv2d_add"),
            "a layer with its sum has no reference kernel");
  EXPECT_EQ(ReasonFor("quantized::embedding_bag_byte_rowwise_offsets"),
            "its table is a tensor of bytes, which hold the scales of rows, "
            "too");
  EXPECT_EQ(ReasonFor("aten::quantize_per_tensor"), "it only quantizes");
  EXPECT_EQ(ReasonFor("aten::flatten"), "it only hands its data on");
  EXPECT_EQ(ReasonFor("aten::dropout"), "it only hands its data on");
  EXPECT_EQ(ReasonFor("aten::view"), "it only hands its data on");
  EXPECT_EQ(ReasonFor("aten::zeros"), "it makes its data from nothing");
  EXPECT_EQ(ReasonFor("aten::conv2d"), "it computes in float");
  EXPECT_EQ(ReasonFor("my::op"), "its op is unknown");
}

}  // namespace
}  // namespace ns
