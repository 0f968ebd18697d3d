#include "passes/lowering/lowering_table.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ir/refusal.h"
#include "passes/ops/op_table.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

bool IsOperator(absl::string_view op) {
  return !torch::jit::getAllOperatorsFor(
              c10::Symbol::fromQualString(std::string(op)))
              .empty();
}

TEST(LoweringTableTest, IsSortedAndUnique) {
  const auto rows = LoweringTable();
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(rows[i - 1].op, rows[i].op);
  }
}

TEST(LoweringTableTest, EveryRowHasAKernelOrAReason) {
  for (const LoweringRow& row : LoweringTable()) {
    EXPECT_EQ(row.form != nullptr, row.reason.empty()) << row.op;
    EXPECT_EQ(row.form != nullptr, !row.lowered_op.empty()) << row.op;
  }
}

TEST(LoweringTableTest, LibTorchAndTheOpTableKnowEveryOp) {
  for (const LoweringRow& row : LoweringTable()) {
    EXPECT_NE(FindOp(row.op), nullptr) << row.op;
    EXPECT_TRUE(IsOperator(row.op)) << row.op;
  }
}

TEST(LoweringTableTest, LoweredOpsAreOperatorsOfTheSameFamily) {
  for (const LoweringRow& row : LoweringTable()) {
    if (row.form == nullptr) {
      continue;
    }
    const OpRow* lowered = FindOp(row.lowered_op);
    ASSERT_NE(lowered, nullptr) << row.lowered_op;
    EXPECT_EQ(lowered->op, row.lowered_op);
    EXPECT_EQ(lowered->family, FindOp(row.op)->family) << row.op;
    EXPECT_EQ(lowered->role, FindOp(row.op)->role) << row.op;
    EXPECT_EQ(lowered->fused_activation, FindOp(row.op)->fused_activation)
        << row.op;
    EXPECT_TRUE(IsOperator(row.lowered_op)) << row.lowered_op;
  }
}

TEST(LoweringTableTest, PackedLayersStayPackedInTheSameInput) {
  for (const LoweringRow& row : LoweringTable()) {
    if (row.form != nullptr) {
      EXPECT_EQ(FindOp(row.lowered_op)->weight_form,
                FindOp(row.op)->weight_form)
          << row.op;
      EXPECT_EQ(FindOp(row.lowered_op)->weight_input,
                FindOp(row.op)->weight_input)
          << row.op;
    }
  }
}

TEST(FindLoweringTest, FindsInPlaceFormsUnderTheirPlainOnes) {
  EXPECT_EQ(OrThrow(FindLowering("aten::relu")).op, "aten::relu");
  EXPECT_EQ(OrThrow(FindLowering("aten::relu_")).op, "aten::relu");
}

TEST(FindLoweringTest, RefusesOpsThatNothingTakesThePlaceOf) {
  EXPECT_EQ(FindLowering("quantized::linear_dynamic_fp16").status(),
            Refusal("its weight is float16"));
  for (const char* op :
       {"quantized::threshold", "aten::conv2d", "aten::no_such_op", ""}) {
    EXPECT_EQ(FindLowering(op).status(),
              Refusal("there is no ns kernel for it"))
        << op;
  }
}

}  // namespace
}  // namespace ns
