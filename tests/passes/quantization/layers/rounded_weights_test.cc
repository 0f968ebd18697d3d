#include "passes/quantization/layers/rounded_weights.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "passes/quantization/layers/constant_weights.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Value;

constexpr char kLinear[] = R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR";

constexpr char kLstm[] = R"IR(
graph(%x : Tensor, %hx : Tensor[], %w : Tensor, %b : Tensor, %yes : bool, %no : bool, %n : int, %p : float):
  %params : Tensor[] = prim::ListConstruct(%w, %w, %b, %b)
  %y : Tensor, %h : Tensor, %c : Tensor = aten::lstm(%x, %hx, %params, %yes, %n, %p, %no, %no, %no)
  return (%y))IR";

class RoundedWeightsTest : public testing::Test {
 protected:
  absl::StatusOr<RoundedWeights> Round(const std::string& text,
                                       const std::string& op,
                                       const std::string& family,
                                       const ObserverSpec& spec) {
    graph_ = GraphWith(text, {{"w", weight_},
                              {"b", at::randn({8})},
                              {"yes", true},
                              {"no", false},
                              {"n", 1},
                              {"p", 0.0},
                              {"none", c10::IValue()},
                              {"ones", std::vector<int64_t>{1}},
                              {"zeros", std::vector<int64_t>{0}}});
    constants_ = std::make_unique<SharedConstants>(*graph_);
    return RoundWeights(SiteOf(op, family, spec));
  }

  LayerSite SiteOf(const std::string& op, absl::string_view family,
                   const ObserverSpec& spec) {
    return {NodeOf(*graph_, op), family, spec, false, true, *constants_};
  }

  at::Tensor weight_ = at::randn({8, 2});
  const ObserverSpec half_ = Float16();
  const ObserverSpec int4_ = Int4WeightsQConfig().weight;
  std::shared_ptr<Graph> graph_;
  std::unique_ptr<SharedConstants> constants_;

 private:
  static ObserverSpec Float16() { return PlaceholderSpec(at::kHalf); }
};

TEST_F(RoundedWeightsTest, OfIntegersAreDequantized) {
  const RoundedWeights rounded =
      OrThrow(Round(kLinear, "aten::linear", "linear", int4_));
  EXPECT_TRUE(rounded.changed);
  ExpectShortIr(*graph_, R"(
%1 = aten::dequantize(<Tensor>)
%2 = aten::linear(%0, %1, <Tensor>)
return (%2))");
  const at::Tensor expected = OrThrow(QuantizedBySpec(weight_, int4_));
  ASSERT_EQ(rounded.weights.size(), 1);
  EXPECT_TRUE(rounded.weights[0].equal(expected));
  const Value* dequantized = NodeOf(*graph_, "aten::dequantize")->input(0);
  EXPECT_TRUE(ConstantOf(*dequantized)->toTensor().equal(expected));
}

TEST_F(RoundedWeightsTest, OfHalfPrecisionAreFloatConstants) {
  weight_ = at::tensor({1.0F, 1e-3F, 70000.0F, -1e30F}).reshape({2, 2});
  const RoundedWeights rounded =
      OrThrow(Round(kLinear, "aten::linear", "linear", half_));
  EXPECT_TRUE(rounded.changed);
  EXPECT_TRUE(rounded.weights.empty());
  const at::Tensor half =
      ConstantOf(*NodeOf(*graph_, "aten::linear")->input(1))->toTensor();
  EXPECT_EQ(half.scalar_type(), at::kFloat);
  EXPECT_TRUE(half.equal(at::tensor({1.0F, static_cast<float>(c10::Half(1e-3F)),
                                     65504.0F, -65504.0F})
                             .reshape({2, 2})));
}

TEST_F(RoundedWeightsTest, ThatHaveTheirValuesAlreadyStay) {
  weight_ = weight_.to(at::kHalf).to(at::kFloat);
  EXPECT_FALSE(
      OrThrow(Round(kLinear, "aten::linear", "linear", half_)).changed);
  ExpectShortIr(*graph_, R"(
%1 = aten::linear(%0, <Tensor>, <Tensor>)
return (%1))");
}

TEST_F(RoundedWeightsTest, OfRecurrentLayersLeaveBiasesAsTheyAre) {
  const RoundedWeights rounded =
      OrThrow(Round(kLstm, "aten::lstm", "lstm", int4_));
  EXPECT_EQ(rounded.weights.size(), 2);
  NodeOf(*graph_, "prim::ListConstruct")->destroy();
  ExpectShortIr(*graph_, R"(
%2 = aten::dequantize(<Tensor>)
%3 = aten::dequantize(<Tensor>)
%4 = prim::ListConstruct(%2, %3, <Tensor>, <Tensor>)
%5, %6, %7 = aten::lstm(%0, %1, %4, True, 1, 0, False, False, False)
return (%5))");
  // The two weights are one.
  EXPECT_EQ(NodeOf(*graph_, "aten::dequantize", 0)->input(0),
            NodeOf(*graph_, "aten::dequantize", 1)->input(0));
}

TEST_F(RoundedWeightsTest, OfConstantListsAreRounded) {
  graph_ =
      GraphWith(kLstm, {{"yes", true}, {"no", false}, {"n", 1}, {"p", 0.0}});
  Value* list = NodeOf(*graph_, "prim::ListConstruct")->output();
  {
    const torch::jit::WithInsertPoint in_front(list->node());
    const at::Tensor bias = at::randn({8});
    list->replaceAllUsesWith(graph_->insertConstant(
        std::vector<at::Tensor>{weight_, weight_, bias, bias}));
    list->node()->destroy();
  }
  constants_ = std::make_unique<SharedConstants>(*graph_);
  EXPECT_EQ(
      OrThrow(RoundWeights(SiteOf("aten::lstm", "lstm", int4_))).weights.size(),
      2);
  ExpectShortIr(*graph_, R"(
%4 = aten::dequantize(<Tensor>)
%5 = aten::dequantize(<Tensor>)
%6 = prim::ListConstruct(%4, %5, <Tensor>, <Tensor>)
%7, %8, %9 = aten::lstm(%0, %1, %6, True, 1, 0, False, False, False)
return (%7))");
}

TEST_F(RoundedWeightsTest, OfCellsAreBothRounded) {
  const RoundedWeights rounded =
      OrThrow(Round(R"IR(
graph(%x : Tensor, %hx : Tensor, %w : Tensor, %none : NoneType):
  %h : Tensor = aten::gru_cell(%x, %hx, %w, %w, %none, %none)
  return (%h))IR",
                    "aten::gru_cell", "gru_cell", int4_));
  EXPECT_EQ(rounded.weights.size(), 2);
}

TEST_F(RoundedWeightsTest, OfTransposedConvolutionsHaveAScaleForEachOutput) {
  weight_ = at::randn({2, 5, 3});
  const RoundedWeights rounded =
      OrThrow(Round(R"IR(
graph(%x : Tensor, %w : Tensor, %none : NoneType, %ones : int[], %zeros : int[], %n : int):
  %y : Tensor = aten::conv_transpose1d(%x, %w, %none, %ones, %zeros, %zeros, %n, %ones)
  return (%y))IR",
                    "aten::conv_transpose1d", "conv_transpose1d", int4_));
  EXPECT_EQ(rounded.weights[0].q_per_channel_axis(), 1);
  EXPECT_EQ(rounded.weights[0].q_per_channel_scales().numel(), 5);
}

TEST_F(RoundedWeightsTest, AreThoseOfLayersAndNotOfNorms) {
  NS_ASSERT_OK(Round(kLinear, "aten::linear", "linear", int4_).status());
  EXPECT_TRUE(HasWeightsToRound(SiteOf("aten::linear", "linear", int4_)));
  graph_ = GraphOf(R"IR(
graph(%x : Tensor, %shape : int[], %w : Tensor, %b : Tensor, %e : float, %no : bool):
  %y : Tensor = aten::layer_norm(%x, %shape, %w, %b, %e, %no)
  %r : Tensor = aten::relu(%y)
  return (%r))IR");
  EXPECT_FALSE(
      HasWeightsToRound(SiteOf("aten::layer_norm", "layer_norm", int4_)));
  EXPECT_FALSE(HasWeightsToRound(SiteOf("aten::relu", "relu", int4_)));
}

TEST_F(RoundedWeightsTest, LeaveTheLayerAsItWasAfterARefusal) {
  EXPECT_EQ(MessageOf(Round(R"IR(
graph(%x : Tensor, %v : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %v, %b)
  return (%y))IR",
                            "aten::linear", "linear", int4_)),
            "its weight is not constant");
  EXPECT_EQ(MessageOf(Round(R"IR(
graph(%x : Tensor, %q : Tensor, %b : Tensor):
  %v : Tensor = aten::dequantize(%q)
  %y : Tensor = aten::linear(%x, %v, %b)
  return (%y))IR",
                            "aten::linear", "linear", int4_)),
            "its weight is quantized already");
  EXPECT_EQ(MessageOf(Round(R"IR(
graph(%x : Tensor, %hx : Tensor[], %w : Tensor, %v : Tensor, %yes : bool, %no : bool, %n : int, %p : float):
  %params : Tensor[] = prim::ListConstruct(%w, %v)
  %y : Tensor, %h : Tensor, %c : Tensor = aten::lstm(%x, %hx, %params, %no, %n, %p, %no, %no, %no)
  return (%y))IR",
                            "aten::lstm", "lstm", int4_)),
            "a parameter of it is not constant");
  constants_->DropUnused();
  ExpectShortIr(*graph_, R"(
%3 = prim::ListConstruct(<Tensor>, %2)
%4, %5, %6 = aten::lstm(%0, %1, %3, False, 1, 0, False, False, False)
return (%4))");
}

}  // namespace
}  // namespace ns
