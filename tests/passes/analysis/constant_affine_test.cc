#include "passes/analysis/constant_affine.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/subgraph.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Graph;

// Returns what the node `call` computes of %x after a convolution with
// `spatial_dims` dimensions. The call may use the constants in the text, the
// tensor %t, which is `tensor`, and %other and %number, which are not constant.
std::optional<ConstantAffine> AffineOf(const std::string& call,
                                       const at::Tensor& tensor = at::ones({}),
                                       int spatial_dims = 2) {
  const auto graph = GraphWith(absl::StrCat(R"IR(
graph(%x : Tensor, %other : Tensor, %t : Tensor, %scale : float, %number : float):
  %none : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %two : float = prim::Constant[value=2.]()
  %three : int = prim::Constant[value=3]()
  %step : float = prim::Constant[value=0.5]()
  %zero : int = prim::Constant[value=0]()
  %qint8 : int = prim::Constant[value=12]()
  %trunc : str = prim::Constant[value="trunc"]()
  %q : Tensor = aten::quantize_per_tensor(%t, %step, %zero, %qint8)
  %y : Tensor = )IR",
                                            call, "\n  return (%y, %q)"),
                               {{"t", tensor}});
  return ConstantAffineOf(*graph->outputs()[0]->node(), spatial_dims);
}

// Fails the test unless `affine` multiplies by `scale` and adds `shift`.
void ExpectAffine(const std::optional<ConstantAffine>& affine,
                  const std::vector<double>& scale,
                  const std::vector<double>& shift) {
  ASSERT_TRUE(affine.has_value());
  EXPECT_TRUE(at::equal(affine->scale, at::tensor(scale, at::kDouble)))
      << affine->scale;
  EXPECT_TRUE(at::equal(affine->shift, at::tensor(shift, at::kDouble)))
      << affine->shift;
}

TEST(ConstantAffineTest, MultipliesByANumber) {
  ExpectAffine(AffineOf("aten::mul(%x, %two)"), {2}, {0});
  ExpectAffine(AffineOf("aten::mul(%x, %three)"), {3}, {0});
}

TEST(ConstantAffineTest, DividesByANumber) {
  ExpectAffine(AffineOf("aten::div(%x, %two)"), {0.5}, {0});
}

TEST(ConstantAffineTest, AddsANumber) {
  ExpectAffine(AffineOf("aten::add(%x, %two, %one)"), {1}, {2});
}

TEST(ConstantAffineTest, SubtractsANumber) {
  ExpectAffine(AffineOf("aten::sub(%x, %two, %one)"), {1}, {-2});
}

TEST(ConstantAffineTest, ATensorOfOneElementIsANumberWhateverItsShape) {
  ExpectAffine(AffineOf("aten::mul(%x, %t)", at::full({1, 1, 1, 1}, 4)), {4},
               {0});
  ExpectAffine(AffineOf("aten::mul(%x, %t)", at::full({1}, 4)), {4}, {0});
  ExpectAffine(AffineOf("aten::mul(%x, %t)", at::full({}, 4)), {4}, {0});
}

TEST(ConstantAffineTest, ATensorHasOneElementForEachChannel) {
  const at::Tensor channels = at::tensor({1.0, 2.0, 4.0});
  ExpectAffine(AffineOf("aten::mul(%x, %t)", channels.reshape({3, 1, 1})),
               {1, 2, 4}, {0});
  ExpectAffine(AffineOf("aten::div(%x, %t)", channels.reshape({1, 3, 1, 1})),
               {1, 0.5, 0.25}, {0});
  ExpectAffine(AffineOf("aten::sub(%x, %t, %one)", channels.reshape({3, 1, 1})),
               {1}, {-1, -2, -4});
  ExpectAffine(AffineOf("aten::mul(%x, %t)", channels.reshape({3, 1}), 1),
               {1, 2, 4}, {0});
}

TEST(ConstantAffineTest,
     FindsNothingWhenTheElementsAreThoseOfAnotherDimension) {
  EXPECT_FALSE(AffineOf("aten::mul(%x, %t)", at::ones({3})).has_value());
  EXPECT_FALSE(AffineOf("aten::mul(%x, %t)", at::ones({1, 3, 1})).has_value());
  EXPECT_FALSE(
      AffineOf("aten::mul(%x, %t)", at::ones({3, 1, 1, 1})).has_value());
  // One convolution's channels are another one's positions.
  EXPECT_FALSE(
      AffineOf("aten::mul(%x, %t)", at::ones({3, 1, 1}), 1).has_value());
}

TEST(ConstantAffineTest, FindsNothingWhenTheElementsDifferWithinAChannel) {
  EXPECT_FALSE(AffineOf("aten::mul(%x, %t)", at::ones({3, 2, 1})).has_value());
}

TEST(ConstantAffineTest, FindsNothingWhenTheOtherOperandIsNotConstant) {
  EXPECT_FALSE(AffineOf("aten::mul(%x, %other)").has_value());
  EXPECT_FALSE(AffineOf("aten::mul(%x, %number)").has_value());
  EXPECT_FALSE(AffineOf("aten::mul(%t, %x)").has_value());
}

TEST(ConstantAffineTest, FindsNothingWhenAlphaIsNotOne) {
  EXPECT_FALSE(AffineOf("aten::add(%x, %two, %three)").has_value());
  EXPECT_FALSE(AffineOf("aten::sub(%x, %two, %three)").has_value());
}

TEST(ConstantAffineTest, FindsNothingWhenAlphaIsNotConstant) {
  EXPECT_FALSE(AffineOf("aten::add(%x, %two, %number)").has_value());
}

TEST(ConstantAffineTest, FindsNothingWhenADivisionRounds) {
  EXPECT_FALSE(AffineOf("aten::div(%x, %two, %trunc)").has_value());
}

TEST(ConstantAffineTest, FindsNothingForOtherOps) {
  EXPECT_FALSE(AffineOf("aten::relu(%x)").has_value());
  EXPECT_FALSE(AffineOf("aten::pow(%x, %two)").has_value());
}

// The float constant counts, not what rounding makes of it: 3.25 is not a
// multiple of the scale.
TEST(ConstantAffineTest, AConstantThatIsQuantizedCountsAsItself) {
  ExpectAffine(AffineOf("quantized::mul(%x, %q, %scale, %zero)",
                        at::full({1, 1, 1}, 3.25)),
               {3.25}, {0});
  ExpectAffine(AffineOf("quantized::add_relu(%x, %q, %scale, %zero)",
                        at::full({3, 1, 1}, 3.25)),
               {1}, {3.25, 3.25, 3.25});
}

TEST(ConstantAffineTest, AQuantizedConstantIsDequantized) {
  const at::Tensor quantized =
      at::quantize_per_tensor(at::full({1}, 3.25), 0.5, 0, at::kQInt8);
  const double value = quantized.dequantize().item<double>();
  ExpectAffine(
      AffineOf("quantized::mul_relu(%x, %t, %scale, %zero)", quantized),
      {value}, {0});
  EXPECT_NE(value, 3.25);
}

TEST(ConstantAffineTest, QuantizedOpsTakeNumbers) {
  ExpectAffine(AffineOf("quantized::mul_scalar(%x, %two)"), {2}, {0});
  ExpectAffine(AffineOf("quantized::add_scalar_relu(%x, %two)"), {1}, {2});
}

std::optional<int> DimsOf(const std::string& call) {
  const std::vector<int64_t> ones = {1, 1};
  const auto graph = GraphWith(absl::StrCat(R"IR(
graph(%x : Tensor, %w : Tensor, %ones : int[], %any : int[], %flag : bool):
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = )IR",
                                            call, "\n  return (%y)"),
                               {{"ones", ones}});
  return SpatialDimsOfConv(*graph->outputs()[0]->node());
}

std::string Convolution(absl::string_view stride,
                        absl::string_view transposed) {
  return absl::StrCat("aten::_convolution(%x, %w, %none, ", stride,
                      ", %any, %any, ", transposed,
                      ", %any, %one, %no, %no, %no, %no)");
}

TEST(SpatialDimsOfConvTest, AreInTheNameOfTheOp) {
  const std::string arguments = "(%x, %w, %none, %any, %any, %any, %one)";
  EXPECT_EQ(DimsOf("aten::conv1d" + arguments), 1);
  EXPECT_EQ(DimsOf("aten::conv2d" + arguments), 2);
  EXPECT_EQ(DimsOf("aten::conv3d" + arguments), 3);
}

TEST(SpatialDimsOfConvTest, AreThoseOfTheStrideWhereTheNameDoesNotHaveThem) {
  EXPECT_EQ(DimsOf(Convolution("%ones", "%no")), 2);
}

TEST(SpatialDimsOfConvTest, AreAbsentWhenTheStrideIsNotConstant) {
  EXPECT_EQ(DimsOf(Convolution("%any", "%no")), std::nullopt);
}

TEST(SpatialDimsOfConvTest, AreAbsentWhenAConvolutionIsOrMayBeTransposed) {
  EXPECT_EQ(DimsOf(Convolution("%ones", "%yes")), std::nullopt);
  EXPECT_EQ(DimsOf(Convolution("%ones", "%flag")), std::nullopt);
  EXPECT_EQ(DimsOf("aten::conv_transpose2d(%x, %w, %none, %any, %any, %any, "
                   "%one, %any)"),
            std::nullopt);
}

TEST(SpatialDimsOfConvTest, AreAbsentForOtherOps) {
  EXPECT_EQ(DimsOf("aten::linear(%x, %w, %none)"), std::nullopt);
}

// A graph with a base and what may follow it. All its nodes but constants are
// the subgraph.
class FoldableAffinesTest : public testing::Test {
 protected:
  // Returns the ops of the FoldableAffines where `body` computes %y of %x.
  std::vector<std::string> OpsOf(absl::string_view base,
                                 absl::string_view body) {
    Parse(base, body);
    return Found();
  }

  void Parse(absl::string_view base, absl::string_view body) {
    graph_ = GraphWith(absl::StrCat(R"IR(
graph(%x : Tensor, %w : Tensor, %any : int[], %e : float, %other : Tensor):
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %two : float = prim::Constant[value=2.]())IR",
                                    body, "\n  return (%y)"),
                       {});
    subgraph_ = Subgraph();
    for (torch::jit::Node* node : graph_->nodes()) {
      if (node->kind() != c10::prim::Constant) {
        subgraph_.nodes.push_back(node);
      }
    }
    subgraph_.start = subgraph_.nodes.front();
    subgraph_.end = subgraph_.nodes.back();
    subgraph_.base = NodeOf(*graph_, base);
  }

  std::vector<std::string> Found() const {
    std::vector<std::string> ops;
    for (const torch::jit::Node* node : FoldableAffines(subgraph_)) {
      ops.emplace_back(OpName(*node));
    }
    return ops;
  }

  // Lets all nodes come from the module `fqn` of `type`.
  void SetModule(torch::jit::Node* node, absl::string_view fqn,
                 absl::string_view type) {
    node->setScope(ScopeFor({fqn, 0, type}, graph_->current_scope()));
  }

  std::shared_ptr<Graph> graph_;
  Subgraph subgraph_;
};

TEST_F(FoldableAffinesTest, FollowTheConvolutionInOrder) {
  EXPECT_THAT(OpsOf("aten::conv2d", R"IR(
  %a : Tensor = aten::conv2d(%x, %w, %none, %any, %any, %any, %one)
  %b : Tensor = aten::mul(%a, %two)
  %y : Tensor = aten::add(%b, %two, %one))IR"),
              ElementsAre("aten::mul", "aten::add"));
}

TEST_F(FoldableAffinesTest, CastsAndNormsMayBeBetween) {
  EXPECT_THAT(OpsOf("aten::conv2d", R"IR(
  %a : Tensor = aten::conv2d(%x, %w, %none, %any, %any, %any, %one)
  %b : Tensor = aten::batch_norm(%a, %w, %w, %w, %w, %no, %e, %e, %no)
  %c : Tensor = aten::dequantize(%b)
  %y : Tensor = aten::mul(%c, %two))IR"),
              ElementsAre("aten::mul"));
}

TEST_F(FoldableAffinesTest, EndWhereAnotherOpFollows) {
  EXPECT_THAT(OpsOf("aten::conv2d", R"IR(
  %a : Tensor = aten::conv2d(%x, %w, %none, %any, %any, %any, %one)
  %b : Tensor = aten::mul(%a, %two)
  %c : Tensor = aten::relu(%b)
  %y : Tensor = aten::mul(%c, %two))IR"),
              ElementsAre("aten::mul"));
}

TEST_F(FoldableAffinesTest, EndWhereTheOperandIsNotConstant) {
  EXPECT_THAT(OpsOf("aten::conv2d", R"IR(
  %a : Tensor = aten::conv2d(%x, %w, %none, %any, %any, %any, %one)
  %b : Tensor = aten::mul(%a, %other)
  %y : Tensor = aten::mul(%b, %two))IR"),
              IsEmpty());
}

TEST_F(FoldableAffinesTest, WhatRunsBeforeTheConvolutionDoesNotCount) {
  EXPECT_THAT(OpsOf("aten::conv2d", R"IR(
  %a : Tensor = aten::mul(%x, %two)
  %b : Tensor = aten::conv2d(%a, %w, %none, %any, %any, %any, %one)
  %y : Tensor = aten::relu(%b))IR"),
              IsEmpty());
}

TEST_F(FoldableAffinesTest, OtherLayersHaveNone) {
  EXPECT_THAT(OpsOf("aten::linear", R"IR(
  %a : Tensor = aten::linear(%x, %w, %none)
  %y : Tensor = aten::mul(%a, %two))IR"),
              IsEmpty());
  EXPECT_THAT(FoldableAffines(Subgraph()), IsEmpty());
}

TEST_F(FoldableAffinesTest, NodesOfAModuleThatTrainsItsNormAreLeftOut) {
  Parse("aten::conv2d", R"IR(
  %a : Tensor = aten::conv2d(%x, %w, %none, %any, %any, %any, %one)
  %y : Tensor = aten::mul(%a, %two))IR");
  for (torch::jit::Node* node : subgraph_.nodes) {
    SetModule(node, "conv", "torch.nn.intrinsic.qat.ConvBn2d");
  }
  EXPECT_THAT(Found(), IsEmpty());
  // What another module computes is a layer of its own.
  SetModule(subgraph_.end, "", "Net");
  EXPECT_THAT(Found(), ElementsAre("aten::mul"));
}

TEST_F(FoldableAffinesTest, NodesOfAnOrdinaryModuleCount) {
  Parse("aten::conv2d", R"IR(
  %a : Tensor = aten::conv2d(%x, %w, %none, %any, %any, %any, %one)
  %y : Tensor = aten::mul(%a, %two))IR");
  for (torch::jit::Node* node : subgraph_.nodes) {
    SetModule(node, "conv", "nets.ScaledConv2d");
  }
  EXPECT_THAT(Found(), ElementsAre("aten::mul"));
}

}  // namespace
}  // namespace ns
