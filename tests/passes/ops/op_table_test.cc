#include "passes/ops/op_table.h"

#include <torch/csrc/jit/runtime/operator.h>
#include <torch/version.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

auto Operators(absl::string_view op) {
  return torch::jit::getAllOperatorsFor(
      c10::Symbol::fromQualString(std::string(op)));
}

// Ops of the JIT that have no schema.
bool IsJitInternal(absl::string_view op) {
  static const std::set<absl::string_view> kInternal = {
      "prim::Constant",       "prim::ConstantChunk", "prim::GetAttr",
      "prim::ListConstruct",  "prim::ListUnpack",    "prim::TupleConstruct",
      "prim::TupleIndex",     "prim::TupleSlice",    "prim::TupleUnpack",
      "prim::unchecked_cast",
  };
  return kInternal.count(op) != 0;
}

// Whether this release of LibTorch has `row`'s op.
bool IsInThisRelease(const OpRow& row) {
  switch (row.spelling->releases) {
    case Releases::kAll:
      return true;
    case Releases::kBefore2:
      return TORCH_VERSION_MAJOR < 2;
    case Releases::kSince2:
      return TORCH_VERSION_MAJOR >= 2;
  }
  return false;
}

std::string TypeAt(const c10::FunctionSchema& schema, int index) {
  return index < static_cast<int>(schema.arguments().size())
             ? schema.arguments()[index].type()->str()
             : "";
}

TEST(OpTableTest, IsSortedAndUnique) {
  const auto rows = OpTable();
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(rows[i - 1].op, rows[i].op);
  }
}

TEST(OpTableTest, EveryOpIsQualifiedAndHasAFamily) {
  for (const OpRow& row : OpTable()) {
    EXPECT_TRUE(absl::StrContains(row.op, "::")) << row.op;
    EXPECT_FALSE(row.family.empty()) << row.op;
  }
}

TEST(OpTableTest, LibTorchKnowsEveryOp) {
  for (const OpRow& row : OpTable()) {
    // Some exist in place only (aten::requires_grad_).
    const bool is_known = IsJitInternal(row.op) || !Operators(row.op).empty() ||
                          !Operators(absl::StrCat(row.op, "_")).empty();
    EXPECT_EQ(is_known, IsInThisRelease(row)) << row.op;
  }
}

TEST(OpTableTest, WeightInputIsGivenExactlyWhenThereIsAForm) {
  for (const OpRow& row : OpTable()) {
    EXPECT_EQ(row.weight_form == WeightForm::kNone, row.weight_input < 0)
        << row.op;
  }
}

TEST(OpTableTest, WeightInputHasTheTypeOfItsForm) {
  for (const OpRow& row : OpTable()) {
    const bool is_ours = IsLoweredOp(row.op);
    const auto expected = [&]() -> std::string {
      switch (row.weight_form) {
        case WeightForm::kNone:
          return "";
        case WeightForm::kTensor:
        case WeightForm::kTensorPair:
          return "Tensor";
        case WeightForm::kTensorList:
          return "Tensor[]";
        case WeightForm::kPackedLinear:
        case WeightForm::kPackedPair:
          return is_ours ? "FbgemmLinear" : "LinearPackedParamsBase";
        case WeightForm::kPackedConv:
          return is_ours ? "FbgemmConv" : "dPackedParamsBase";
        case WeightForm::kPackedEmbedding:
          return is_ours ? "FbgemmEmbedding" : "EmbeddingPackedParamsBase";
        case WeightForm::kCellParamsList:
          return "CellParamsBase[]";
      }
      return "?";
    }();
    if (expected.empty() || !IsInThisRelease(row)) {
      continue;
    }
    const auto operators = Operators(row.op);
    EXPECT_TRUE(std::any_of(operators.begin(), operators.end(),
                            [&](const auto& op) {
                              return absl::StrContains(
                                  TypeAt(op->schema(), row.weight_input),
                                  expected);
                            }))
        << row.op << ": no schema has a " << expected << " at input "
        << row.weight_input;
  }
}

TEST(OpTableTest, WeightInputIsCalledAWeight) {
  const std::set<std::string> names = {
      "weight", "params", "w_ih",         "packed_weight",
      "hx",     "ihx",    "packed_ih",    "packed_weights",
      "gamma",  "_0",     "packed_params"};
  for (const OpRow& row : OpTable()) {
    if (row.weight_form != WeightForm::kTensor) {
      continue;
    }
    for (const auto& op : Operators(row.op)) {
      const auto& arguments = op->schema().arguments();
      if (row.weight_input < static_cast<int>(arguments.size()) &&
          TypeAt(op->schema(), row.weight_input) == "Tensor") {
        EXPECT_EQ(names.count(arguments[row.weight_input].name()), 1)
            << row.op << ": " << arguments[row.weight_input].name();
      }
    }
  }
}

TEST(OpTableTest, PackedWeightsBelongToQuantizedOps) {
  for (const OpRow& row : OpTable()) {
    const bool packed = row.weight_form != WeightForm::kNone &&
                        row.weight_form != WeightForm::kTensor &&
                        row.weight_form != WeightForm::kTensorPair &&
                        row.weight_form != WeightForm::kTensorList;
    EXPECT_TRUE(!packed || IsQuantizedOp(row)) << row.op;
  }
}

TEST(OpTableTest, FusedActivationIsAFamily) {
  std::set<absl::string_view> families;
  for (const OpRow& row : OpTable()) {
    families.insert(row.family);
  }
  for (const OpRow& row : OpTable()) {
    EXPECT_TRUE(row.fused_activation.empty() ||
                families.count(row.fused_activation) == 1)
        << row.op;
  }
}

TEST(OpTableTest, OpsNamedReluFuseRelu) {
  for (const OpRow& row : OpTable()) {
    if (IsQuantizedOp(row) && row.family != "relu" &&
        absl::StrContains(row.op, "_relu") &&
        !absl::StrContains(row.op, "leaky") &&
        !absl::StrContains(row.op, "rnn_relu")) {
      EXPECT_EQ(row.fused_activation, "relu") << row.op;
    }
  }
}

TEST(OpTableTest, EveryQuantizedComputeOpHasAFloatRelative) {
  // A layer with its sum is two float ops.
  std::set<absl::string_view> floats = {
      "convolution", "conv1d_add", "conv2d_add", "conv3d_add", "linear_add"};
  for (const OpRow& row : OpTable()) {
    if (!IsQuantizedOp(row)) {
      floats.insert(row.family);
    }
  }
  for (const OpRow& row : OpTable()) {
    EXPECT_TRUE(!IsQuantizedOp(row) || row.role != Role::kCompute ||
                floats.count(row.family) == 1)
        << row.op;
  }
}

TEST(FindOpTest, FindsEveryRow) {
  for (const OpRow& row : OpTable()) {
    EXPECT_EQ(FindOp(row.op), &row);
  }
}

TEST(FindOpTest, FindsInPlaceFormsUnderTheirPlainOnes) {
  EXPECT_EQ(FindOp("aten::relu_"), FindOp("aten::relu"));
  EXPECT_EQ(FindOp("aten::add_"), FindOp("aten::add"));
  EXPECT_NE(FindOp("aten::relu_"), nullptr);
}

TEST(FindOpTest, IsNullForUnknownOps) {
  EXPECT_EQ(FindOp("aten::no_such_op"), nullptr);
  EXPECT_EQ(FindOp("aten::no_such_op_"), nullptr);
  EXPECT_EQ(FindOp("aten::relu__"), nullptr);
  EXPECT_EQ(FindOp("relu"), nullptr);
  EXPECT_EQ(FindOp("_"), nullptr);
  EXPECT_EQ(FindOp(""), nullptr);
}

TEST(IsQuantizedOpTest, HoldsForOpsOfQuantizedModelsOnly) {
  EXPECT_TRUE(IsQuantizedOp(*FindOp("quantized::conv2d")));
  EXPECT_TRUE(IsQuantizedOp(*FindOp("quantized::linear_dynamic")));
  EXPECT_TRUE(IsQuantizedOp(*FindOp("ns::fbgemm_linear_float")));
  EXPECT_TRUE(IsQuantizedOp(*FindOp("quantized::linear_dynamic_fp16")));
  EXPECT_TRUE(IsQuantizedOp(*FindOp("aten::quantize_per_tensor")));
  EXPECT_FALSE(IsQuantizedOp(*FindOp("aten::conv2d")));
  EXPECT_FALSE(IsQuantizedOp(*FindOp("aten::add")));
  EXPECT_FALSE(IsQuantizedOp(*FindOp("aten::dequantize")));
}

TEST(TakesInt8Test, HoldsWhateverTheOutputIs) {
  EXPECT_TRUE(TakesInt8(FindOp("ns::fbgemm_linear")->numerics));
  EXPECT_TRUE(TakesInt8(FindOp("ns::fbgemm_linear_float")->numerics));
  EXPECT_FALSE(TakesInt8(FindOp("ns::fbgemm_linear_dynamic")->numerics));
  EXPECT_FALSE(TakesInt8(FindOp("aten::relu")->numerics));
}

// Why an op of LibTorch's quantized namespace needs no row; empty where it
// does.
std::string ReasonForNoRow(const std::string& op) {
  struct Reason {
    const char* pattern;
    const char* text;
  };
  static constexpr Reason kReasons[] = {
      {"quantized::(conv|linear|embedding_bag).*_prepack(_fp16)?(_legacy)?",
       "it packs a weight, which freezing makes a constant"},
      {"quantized::make_quantized_cell_params(_dynamic|_fp16)?",
       "it packs the weights of a cell, which freezing makes a constant"},
      {"quantized::(conv|linear|embedding_bag).*_unpack(_fp16|_sizes)?",
       "it reads a packed weight, and computes nothing"},
      {"quantized::conv.*_(dilation|groups|output_padding|padding|stride"
       "|transpose)",
       "it reads a number of a packed layer"},
      {"quantized::linear_(with_input_q_dq_qweight_dq.*_output_fp32"
       "|dynamic_fp16_unpacked_weight)",
       "LibTorch 2 has it, and no TorchScript model that was seen does"},
  };
  for (const Reason& reason : kReasons) {
    if (std::regex_match(op, std::regex(reason.pattern))) {
      return reason.text;
    }
  }
  return "";
}

TEST(OpTableTest, EveryQuantizedOpOfLibTorchHasARowOrAReason) {
  int ops = 0;
  for (const auto& op : torch::jit::getAllOperators()) {
    const std::string& name = op->schema().name();
    if (!absl::StartsWith(name, "quantized::")) {
      continue;
    }
    ++ops;
    const bool has_row = FindOp(name) != nullptr;
    EXPECT_NE(has_row, !ReasonForNoRow(name).empty())
        << name
        << (has_row ? " has a row and a reason for none"
                    : " has neither a row nor a reason");
  }
  EXPECT_GT(ops, 100);
}

TEST(OpTableTest, ElementwiseOpsTakeElementsAtOnePlace) {
  for (const char* op :
       {"aten::add", "quantized::mul", "aten::relu_",
        "aten::quantize_per_tensor", "aten::dequantize", "aten::masked_fill",
        "aten::neg", "aten::exp", "aten::selu", "aten::gt"}) {
    EXPECT_TRUE(IsElementwise(*FindOp(op))) << op;
  }
  for (const char* op :
       {"aten::matmul", "aten::softmax", "aten::transpose", "aten::mean",
        "aten::layer_norm", "aten::where", "aten::zeros_like"}) {
    EXPECT_FALSE(IsElementwise(*FindOp(op))) << op;
  }
}

}  // namespace
}  // namespace ns
