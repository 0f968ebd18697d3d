#include "passes/quantization/reference_ops.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/ops/op_table.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

std::string ReasonFor(absl::string_view op) {
  return MessageOf(FindReference(op));
}

TEST(ReferenceTableTest, IsSortedAndUnique) {
  const auto rows = ReferenceTable();
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(rows[i - 1].op, rows[i].op);
  }
}

TEST(ReferenceTableTest, HasTheQuantizedOpsOfTheOpTable) {
  std::vector<absl::string_view> expected;
  for (const OpRow& row : OpTable()) {
    if (IsQuantizedOp(row)) {
      expected.push_back(row.op);
    }
  }
  std::vector<absl::string_view> ops;
  for (const ReferenceOp& row : ReferenceTable()) {
    ops.push_back(row.op);
  }
  EXPECT_EQ(ops, expected);
}

TEST(ReferenceTableTest, EveryRowHasAReferenceOrAReason) {
  for (const ReferenceOp& row : ReferenceTable()) {
    EXPECT_EQ(row.form != nullptr, row.reason.empty()) << row.op;
    EXPECT_EQ(row.form != nullptr, !row.float_op.empty()) << row.op;
  }
}

TEST(ReferenceTableTest, FloatOpsAreOfTheFamilyAndInLibTorch) {
  for (const ReferenceOp& row : ReferenceTable()) {
    if (row.form == nullptr) {
      continue;
    }
    const OpRow* float_op = FindOp(row.float_op);
    ASSERT_NE(float_op, nullptr) << row.float_op;
    EXPECT_EQ(float_op->family, FindOp(row.op)->family) << row.op;
    EXPECT_FALSE(IsQuantizedOp(*float_op)) << row.op;
    EXPECT_FALSE(torch::jit::getAllOperatorsFor(
                     c10::Symbol::fromQualString(std::string(row.float_op)))
                     .empty())
        << row.float_op;
  }
}

TEST(ReferenceTableTest, OnlyTheseHaveNoReference) {
  std::vector<std::string> ops;
  for (const ReferenceOp& row : ReferenceTable()) {
    if (row.form == nullptr) {
      ops.emplace_back(row.op);
    }
  }
  EXPECT_THAT(
      ops,
      ElementsAre("aten::int_repr", "aten::quantize_per_channel",
                  "aten::quantize_per_tensor",
                  "aten::quantize_per_tensor_dynamic", "aten::quantized_gru",
                  "aten::quantized_lstm", "ns::fbgemm_conv2d_add",
                  "ns::fbgemm_conv2d_add_relu", "ns::fbgemm_quantize",
                  "ns::fbgemm_requantize", "quantized::dropout",
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
      EXPECT_EQ(reference.form, &InsertSameOp) << row.op;
    }
  }
}

TEST(FindReferenceTest, OpsInPlaceAreComputedOutOfPlace) {
  EXPECT_EQ(OrThrow(FindReference("aten::relu_")).float_op, "aten::relu");
}

TEST(FindReferenceTest, EveryOpOfTheTableHasAReferenceOrAReason) {
  for (const OpRow& row : OpTable()) {
    const auto reference = FindReference(row.op);
    EXPECT_TRUE(reference.ok() ? reference->form != nullptr
                               : !reference.status().message().empty())
        << row.op;
  }
}

TEST(FindReferenceTest, SaysWhyThereIsNone) {
  EXPECT_EQ(ReasonFor("aten::quantized_lstm"),
            "recurrent layers have no reference kernel");
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
