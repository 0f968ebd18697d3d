#include "passes/ops/op_relations.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/ops/op_table.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

TEST(OpRelationsTest, RelatesNumericFlavours) {
  const OpRelations relations;
  for (const char* op :
       {"quantized::linear", "quantized::linear_relu",
        "quantized::linear_dynamic", "quantized::linear_dynamic_fp16"}) {
    EXPECT_EQ(relations.FamilyOf(op), relations.FamilyOf("aten::linear"));
  }
}

TEST(OpRelationsTest, TellsDimensionsAndTransposedFormsApart) {
  const OpRelations relations;
  EXPECT_NE(relations.FamilyOf("quantized::conv1d"),
            relations.FamilyOf("aten::conv2d"));
  EXPECT_NE(relations.FamilyOf("quantized::conv_transpose2d"),
            relations.FamilyOf("aten::conv2d"));
}

TEST(OpRelationsTest, UnknownOpIsItsOwnFamilyInPlaceOrNot) {
  const OpRelations relations;
  EXPECT_EQ(relations.FamilyOf("mine::op"), "mine::op");
  EXPECT_EQ(relations.FamilyOf("mine::op_"), "mine::op");
}

TEST(OpRelationsTest, FamiliesStayWhereTheyAreWhenMoreCome) {
  const OpRelations relations;
  const absl::string_view op = relations.FamilyOf("mine::op");
  const absl::string_view callee = relations.FamilyOf("my.package.Block");
  for (int i = 0; i < 20000; ++i) {
    relations.FamilyOf(absl::StrCat("mine::", i));
  }
  EXPECT_EQ(op, "mine::op");
  EXPECT_EQ(callee, "Block");
  EXPECT_EQ(relations.FamilyOf("mine::op").data(), op.data());
}

TEST(OpRelationsTest, AddsOpToFamily) {
  OpRelations relations;
  NS_ASSERT_OK(
      relations.AddOpToSetsOfRelatedOps("aten::erfinv", "aten::sigmoid"));
  EXPECT_EQ(relations.FamilyOf("aten::erfinv"),
            relations.FamilyOf("quantized::sigmoid"));
  EXPECT_EQ(relations.FamilyOf("aten::erfinv_"),
            relations.FamilyOf("quantized::sigmoid"));
}

TEST(OpRelationsTest, RelatesToOpThatTheUserRelated) {
  OpRelations relations;
  NS_ASSERT_OK(relations.AddOpToSetsOfRelatedOps("aten::erfinv"));
  NS_ASSERT_OK(relations.AddOpToSetsOfRelatedOps("aten::erfc", "aten::erfinv"));
  EXPECT_EQ(relations.FamilyOf("aten::erfc"),
            relations.FamilyOf("aten::erfinv"));
  EXPECT_NE(relations.FamilyOf("aten::erfc"),
            relations.FamilyOf("aten::sigmoid"));
}

TEST(OpRelationsTest, LeavesOtherRelationsAlone) {
  OpRelations relations;
  NS_ASSERT_OK(
      relations.AddOpToSetsOfRelatedOps("aten::erfinv", "aten::sigmoid"));
  EXPECT_EQ(OpRelations().FamilyOf("aten::erfinv"), "aten::erfinv");
}

TEST(OpRelationsTest, RefusesUnknownOps) {
  OpRelations relations;
  for (const char* op : {"aten::no_such_op", ""}) {
    const absl::Status status =
        relations.AddOpToSetsOfRelatedOps(op, "aten::relu");
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << op;
    EXPECT_THAT(std::string(status.message()), HasSubstr(op));
  }
  EXPECT_EQ(
      relations.AddOpToSetsOfRelatedOps("aten::erfinv", "aten::no_such_op")
          .code(),
      absl::StatusCode::kNotFound);
  EXPECT_EQ(relations.FamilyOf("aten::erfinv"), "aten::erfinv");
}

// The header: an op that "has relations already that do not include
// `related_op`'s" is an error.
TEST(OpRelationsTest, RefusesOpThatHasOtherRelations) {
  OpRelations relations;
  EXPECT_FALSE(
      relations.AddOpToSetsOfRelatedOps("aten::relu", "aten::sigmoid").ok());
  EXPECT_EQ(relations.FamilyOf("aten::relu"), "relu");
}

TEST(OpRelationsTest, AcceptsRelationThatHoldsAlready) {
  OpRelations relations;
  NS_EXPECT_OK(relations.AddOpToSetsOfRelatedOps("aten::relu", "aten::relu_"));
}

std::string FamilyOfConvolution(const std::vector<int64_t>& stride,
                                bool transposed) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %steps : int[], %flag : bool, %n : int):
  %y : Tensor = aten::_convolution(%x, %w, %b, %steps, %steps, %steps, %flag, %steps, %n, %flag, %flag, %flag, %flag)
  return (%y))IR");
  torch::jit::Node* node = NodeOf(*graph, "aten::_convolution");
  torch::jit::WithInsertPoint at(node);
  node->replaceInput(3, graph->insertConstant(stride));
  node->replaceInput(6, graph->insertConstant(transposed));
  return std::string(OpRelations().FamilyOf(*node));
}

TEST(OpRelationsTest, TellsTracedConvolutionsApart) {
  EXPECT_EQ(FamilyOfConvolution({1}, false), "conv1d");
  EXPECT_EQ(FamilyOfConvolution({1, 1}, false), "conv2d");
  EXPECT_EQ(FamilyOfConvolution({1, 1, 1}, false), "conv3d");
  EXPECT_EQ(FamilyOfConvolution({2, 2}, true), "conv_transpose2d");
}

TEST(OpRelationsTest, CalleeIsOfTheFamilyOfItsBareName) {
  const OpRelations relations;
  EXPECT_EQ(relations.FamilyOf("my.package.Block"),
            relations.FamilyOf("other.Block"));
  EXPECT_NE(relations.FamilyOf("my.package.Block"),
            relations.FamilyOf("my.package.Stem"));
}

TEST(OpRelationsTest, RelatesModuleTypesByQualifiedAndBareName) {
  OpRelations relations;
  NS_ASSERT_OK(relations.AddOpToSetsOfRelatedOps("QuantizedBlock", "Block"));
  EXPECT_EQ(relations.FamilyOf("my.package.QuantizedBlock"),
            relations.FamilyOf("my.package.Block"));
  NS_ASSERT_OK(
      relations.AddOpToSetsOfRelatedOps("my.package.Scale", "aten::mul"));
  EXPECT_EQ(relations.FamilyOf("my.package.Scale"),
            relations.FamilyOf("quantized::mul"));
  EXPECT_NE(relations.FamilyOf("other.Scale"),
            relations.FamilyOf("quantized::mul"));
}

TEST(OpRelationsTest, TellsWhichCalleesAreRelated) {
  OpRelations relations;
  NS_ASSERT_OK(relations.AddOpToSetsOfRelatedOps("b.Scale", "aten::mul"));
  NS_ASSERT_OK(relations.AddOpToSetsOfRelatedOps("aten::erfinv"));
  NS_ASSERT_OK(relations.AddOpToSetsOfRelatedOps("a.Block"));
  EXPECT_EQ(relations.RelatedCallees(),
            (std::vector<std::string>{"a.Block", "b.Scale"}));
  NS_ASSERT_OK(relations.AddOpToSetsOfRelatedOps("c.Gate", "d.Gate"));
  EXPECT_EQ(
      relations.RelatedCallees(),
      (std::vector<std::string>{"a.Block", "b.Scale", "c.Gate", "d.Gate"}));
}

TEST(SetsOfRelatedOpsTest, HoldTheBuiltInFamilies) {
  const SetsOfRelatedOps sets = OpRelations().BaseNameToSetsOfRelatedOps();
  EXPECT_THAT(sets.at("linear"),
              IsSupersetOf({"aten::linear", "quantized::linear_relu",
                            "quantized::linear_dynamic"}));
  size_t ops = 0;
  for (const auto& [base_name, set] : sets) {
    ops += set.size();
  }
  EXPECT_EQ(ops, OpTable().size());
}

TEST(SetsOfRelatedOpsTest, GiveTheSameRelationsBack) {
  OpRelations relations;
  NS_ASSERT_OK(
      relations.AddOpToSetsOfRelatedOps("aten::erfinv", "aten::sigmoid"));
  NS_ASSERT_OK(relations.AddOpToSetsOfRelatedOps("QBlock", "my.Block"));
  const OpRelations copy =
      OrThrow(OpRelations::FromSets(relations.BaseNameToSetsOfRelatedOps()));
  for (const OpRow& row : OpTable()) {
    EXPECT_EQ(copy.FamilyOf(row.op), row.family) << row.op;
  }
  EXPECT_EQ(copy.FamilyOf("aten::erfinv_"), "sigmoid");
  EXPECT_EQ(copy.FamilyOf("QBlock"), copy.FamilyOf("my.Block"));
  EXPECT_EQ(copy.RelatedCallees(), relations.RelatedCallees());
}

TEST(SetsOfRelatedOpsTest, CanBeChangedAndReplaced) {
  SetsOfRelatedOps sets = OpRelations().BaseNameToSetsOfRelatedOps();
  sets["hardtanh"].erase("aten::clamp");
  sets.erase("sigmoid");
  sets["sigmoid"] = {"aten::erfinv", "quantized::sigmoid"};
  OpRelations relations = OrThrow(OpRelations::FromSets(sets));
  EXPECT_EQ(relations.FamilyOf("aten::hardtanh"), "hardtanh");
  EXPECT_EQ(relations.FamilyOf("aten::clamp"), "aten::clamp");
  EXPECT_EQ(relations.FamilyOf("aten::clamp_"), "aten::clamp");
  EXPECT_EQ(relations.FamilyOf("aten::erfinv"),
            relations.FamilyOf("quantized::sigmoid"));
  EXPECT_EQ(relations.FamilyOf("aten::sigmoid"), "aten::sigmoid");
  // What lost its family may get another one.
  NS_EXPECT_OK(relations.AddOpToSetsOfRelatedOps("aten::clamp", "aten::relu"));
  EXPECT_EQ(relations.FamilyOf("aten::clamp"), "relu");
}

TEST(SetsOfRelatedOpsTest, RefuseWhatIsNoSet) {
  using Sets = SetsOfRelatedOps;
  EXPECT_THAT(MessageOf(OpRelations::FromSets(
                  Sets{{"a", {"aten::relu"}}, {"b", {"aten::relu_"}}})),
              HasSubstr("aten::relu_ is in the sets 'a' and 'b'"));
  EXPECT_THAT(MessageOf(OpRelations::FromSets(Sets{{"a", {"aten::no_such"}}})),
              HasSubstr("no operator 'aten::no_such'"));
  EXPECT_FALSE(OpRelations::FromSets(Sets{{"a", {""}}}).ok());
  EXPECT_THAT(MessageOf(OpRelations::FromSets(Sets{{"", {"aten::relu"}}})),
              HasSubstr("empty name"));
  NS_EXPECT_OK(OpRelations::FromSets(Sets{}).status());
}

TEST(OpRelationsTest, RefusesAnEmptyName) {
  OpRelations relations;
  EXPECT_EQ(relations.AddOpToSetsOfRelatedOps("").code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(relations.AddOpToSetsOfRelatedOps("Block", "").code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace ns
