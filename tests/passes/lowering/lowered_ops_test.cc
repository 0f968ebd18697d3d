#include "passes/lowering/lowered_ops.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_table.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// The ops of the table that an ns kernel takes the place of.
std::vector<const OpRow*> LoweredRows() {
  std::vector<const OpRow*> rows;
  for (const OpRow& row : OpTable()) {
    if (FindLowering(row.op).ok()) {
      rows.push_back(&row);
    }
  }
  return rows;
}

const OpRow& KernelOf(const OpRow& row) {
  return *FindOp(OrThrow(FindLowering(row.op)).op);
}

TEST(FindLoweringTest, KernelsAreOfTheSameFamilyAndDoTheSame) {
  EXPECT_GT(LoweredRows().size(), 60);
  for (const OpRow* row : LoweredRows()) {
    const OpRow& kernel = KernelOf(*row);
    EXPECT_TRUE(IsLoweredOp(kernel.op)) << row->op;
    EXPECT_EQ(kernel.family, row->family) << row->op;
    EXPECT_EQ(kernel.fused_activation, row->fused_activation) << row->op;
    EXPECT_EQ(kernel.numerics == Numerics::kDynamic,
              row->numerics == Numerics::kDynamic)
        << row->op;
    EXPECT_EQ(kernel.weight_form, row->weight_form) << row->op;
    EXPECT_EQ(kernel.weight_input, row->weight_input) << row->op;
  }
}

// A form that leads to no kernel would be a row that says too little.
TEST(FindLoweringTest, EveryOpWithAFormHasAKernel) {
  for (const OpRow& row : OpTable()) {
    const LoweringForm form =
        row.spelling->lowering.value_or(row.family_row->facts.lowering);
    const bool has_kernel =
        form != LoweringForm::kNoKernel && form != LoweringForm::kHalfWeight &&
        form != LoweringForm::kRecurrent && form != LoweringForm::kPerChannel;
    if (has_kernel && !IsLoweredOp(row.op) &&
        (IsQuantizedOp(row) || row.spelling->lowering)) {
      EXPECT_TRUE(FindLowering(row.op).ok()) << row.op;
    }
  }
}

TEST(FindLoweringTest, KernelsAreNotLoweredAgain) {
  for (const OpRow& row : OpTable()) {
    if (IsLoweredOp(row.op)) {
      EXPECT_FALSE(FindLowering(row.op).ok()) << row.op;
    }
  }
}

TEST(FindLoweringTest, ActivationAndNumericsTellTheKernel) {
  EXPECT_EQ(OrThrow(FindLowering("quantized::batch_norm2d_relu")).op,
            "ns::fbgemm_batch_norm_relu");
  EXPECT_EQ(OrThrow(FindLowering("quantized::linear_relu_dynamic")).op,
            "ns::fbgemm_linear_relu_dynamic");
  EXPECT_EQ(OrThrow(FindLowering("quantized::relu6")).op, "ns::fbgemm_clamp");
  EXPECT_EQ(OrThrow(FindLowering("aten::dequantize")).op,
            "ns::fbgemm_dequantize");
}

TEST(FindLoweringTest, FindsInPlaceFormsUnderTheirPlainOnes) {
  EXPECT_EQ(OrThrow(FindLowering("aten::relu")).op, "ns::fbgemm_relu");
  EXPECT_EQ(OrThrow(FindLowering("aten::relu_")).op, "ns::fbgemm_relu");
}

TEST(FindLoweringTest, RefusesOpsThatNothingTakesThePlaceOf) {
  EXPECT_EQ(FindLowering("quantized::linear_dynamic_fp16").status(),
            Refusal("its weight is float16"));
  EXPECT_EQ(FindLowering("quantized::quantized_lstm_cell_dynamic").status(),
            Refusal("there is no ns kernel for recurrent layers"));
  EXPECT_EQ(
      FindLowering("aten::quantize_per_channel").status(),
      Refusal(
          "there is no ns kernel for values with a scale for each channel"));
  for (const char* op :
       {"quantized::threshold", "quantized::add_out", "aten::concat",
        "aten::conv2d", "aten::no_such_op", ""}) {
    EXPECT_EQ(FindLowering(op).status(),
              Refusal("there is no ns kernel for it"))
        << op;
  }
}

TEST(FindFloatOutputTest, OpsTakeAndComputeTheSame) {
  int found = 0;
  for (const OpRow& row : OpTable()) {
    const absl::string_view op = FindFloatOutput(row.op);
    if (op.empty()) {
      continue;
    }
    ++found;
    const OpRow& gives_floats = *FindOp(op);
    EXPECT_EQ(row.numerics, Numerics::kInt8) << row.op;
    EXPECT_EQ(gives_floats.numerics, Numerics::kInt8ToFloat) << row.op;
    EXPECT_EQ(op, absl::StrCat(row.op, "_float"));
    EXPECT_EQ(gives_floats.fused_activation, row.fused_activation) << row.op;
    EXPECT_EQ(gives_floats.weight_form, row.weight_form) << row.op;
    EXPECT_EQ(gives_floats.weight_input, row.weight_input) << row.op;
  }
  EXPECT_EQ(found, 21);  // of 7 layers, with relu, a clamp, or neither
}

TEST(FindFloatOutputTest, IsEmptyForOtherOps) {
  for (const char* op :
       {"ns::fbgemm_max_pool2d", "ns::fbgemm_conv2d_add",
        "ns::fbgemm_linear_dynamic", "ns::fbgemm_linear_float",
        "quantized::linear", "aten::linear", "aten::no_such_op", ""}) {
    EXPECT_EQ(FindFloatOutput(op), "") << op;
  }
}

}  // namespace
}  // namespace ns
