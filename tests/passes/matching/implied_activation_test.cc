#include "passes/matching/implied_activation.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

// A graph that returns a convolution with the given scale and zero point, and
// `activation`, an op and its arguments.
std::shared_ptr<torch::jit::Graph> ConvAnd(const std::string& activation,
                                           const std::string& scale,
                                           int zero_point) {
  return GraphOf(absl::Substitute(
      R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %unknown : float):
  %s : float = prim::Constant[value=$1]()
  %z : int = prim::Constant[value=$2]()
  %minus : float = prim::Constant[value=-1.]()
  %one : float = prim::Constant[value=1.]()
  %none : NoneType = prim::Constant()
  %c : Tensor = quantized::conv2d(%x, %p, %s, %z)
  %a : Tensor = $0
  return (%c, %a))IR",
      activation, scale, zero_point));
}

bool IsImplied(const std::string& activation, const std::string& scale,
               int zero_point) {
  const auto graph = ConvAnd(activation, scale, zero_point);
  return IsImpliedByRange(*graph->outputs()[1]->node(),
                          *graph->outputs()[0]->node());
}

TEST(ImpliedActivationTest, ZeroPointAtTheLowestImpliesRelu) {
  EXPECT_TRUE(IsImplied("aten::relu(%x)", "0.1", 0));
  EXPECT_FALSE(IsImplied("aten::relu(%x)", "0.1", 1));
}

TEST(ImpliedActivationTest, RangeUpTo6ImpliesRelu6) {
  EXPECT_TRUE(IsImplied("aten::relu6(%x)", "0.0235294", 0));
  EXPECT_TRUE(IsImplied("aten::relu6(%x)", "0.01", 0));
  EXPECT_FALSE(IsImplied("aten::relu6(%x)", "0.024", 0));
}

TEST(ImpliedActivationTest, RangeWithinTheLimitsImpliesHardtanh) {
  EXPECT_TRUE(IsImplied("aten::hardtanh(%x, %minus, %one)", "0.0078125", 128));
  EXPECT_FALSE(IsImplied("aten::hardtanh(%x, %minus, %one)", "0.01", 128));
}

TEST(ImpliedActivationTest, RangeWithinTheLimitsImpliesClamp) {
  EXPECT_TRUE(IsImplied("aten::clamp(%x, %minus, %one)", "0.0078125", 128));
  EXPECT_FALSE(IsImplied("aten::clamp(%x, %one, %none)", "0.0078125", 0));
  EXPECT_TRUE(IsImplied("aten::clamp(%x, %none, %one)", "0.0078125", 128));
  EXPECT_TRUE(IsImplied("aten::clamp_min(%x, %minus)", "1.0", 1));
  EXPECT_FALSE(IsImplied("aten::clamp_max(%x, %one)", "1.0", 1));
}

TEST(ImpliedActivationTest, RangeOfAClampReachesTo0) {
  const auto has_range_of = [](const std::string& activation,
                               const std::string& scale, int zero_point) {
    const auto graph = ConvAnd(activation, scale, zero_point);
    return HasRangeOf(*graph->outputs()[0]->node(),
                      *graph->outputs()[1]->node());
  };
  EXPECT_TRUE(has_range_of("aten::clamp(%x, %one, %none)", "0.1", 0));
  EXPECT_FALSE(has_range_of("aten::clamp(%x, %one, %none)", "0.1", 2));
  EXPECT_TRUE(has_range_of("aten::relu(%x)", "0.1", 0));
  EXPECT_FALSE(has_range_of("aten::relu(%x)", "0.1", 2));
}

// The zero point of 2 / 255 is 127.5, rounded to even. As floats, some such
// scales are too high by a trifle.
TEST(ImpliedActivationTest, RangesOfSymmetricClampsAreRounded) {
  for (const char* scale : {"0.007843137718737125", "0.007843137254901961",
                            "0.00784313678741455"}) {
    for (const int zero_point : {127, 128}) {
      const auto graph =
          ConvAnd("aten::hardtanh(%x, %minus, %one)", scale, zero_point);
      const torch::jit::Node& conv = *graph->outputs()[0]->node();
      const torch::jit::Node& clamp = *graph->outputs()[1]->node();
      EXPECT_TRUE(HasRangeOf(conv, clamp)) << scale;
      EXPECT_TRUE(IsImpliedByRange(clamp, conv)) << scale;
    }
  }
}

TEST(ImpliedActivationTest, ClampsKeepTheRangeOfTheOpBeforeThem) {
  const auto graph = ConvAnd("aten::relu(%c)", "0.0235294", 0);
  const auto relu6 = ConvAnd("aten::relu6(%x)", "0.1", 0);
  EXPECT_TRUE(
      HasRangeOf(*graph->outputs()[1]->node(), *relu6->outputs()[1]->node()));
}

// 12 is torch.qint8, and 13 torch.quint8.
TEST(ImpliedActivationTest, SignedValuesBeginAtMinus128) {
  const auto is_implied = [](int dtype, int zero_point) {
    const auto graph = GraphOf(absl::Substitute(
        R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase):
  %s : float = prim::Constant[value=0.1]()
  %d : int = prim::Constant[value=$0]()
  %z : int = prim::Constant[value=$1]()
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %d)
  %b : Tensor = quantized::conv2d_relu(%q, %p, %s, %z)
  %c : Tensor = quantized::conv2d(%b, %p, %s, %z)
  %a : Tensor = aten::relu(%c)
  return (%c, %a))IR",
        dtype, zero_point));
    return IsImpliedByRange(*graph->outputs()[1]->node(),
                            *graph->outputs()[0]->node());
  };
  EXPECT_TRUE(is_implied(13, 0));
  EXPECT_FALSE(is_implied(12, 0));
  EXPECT_TRUE(is_implied(12, -128));
  EXPECT_FALSE(is_implied(14, 0));
}

TEST(ImpliedActivationTest, ImpliesNothingWhenLimitsAreUnknown) {
  EXPECT_FALSE(IsImplied("aten::hardtanh(%x, %minus, %unknown)", "0.001", 128));
}

TEST(ImpliedActivationTest, ImpliesNothingOfOtherActivations) {
  EXPECT_FALSE(IsImplied("aten::sigmoid(%x)", "0.00390625", 0));
}

TEST(ImpliedActivationTest, FloatOpsImplyNothing) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %r : Tensor = aten::relu(%s)
  return (%r))IR");
  const torch::jit::Node& relu = *graph->outputs()[0]->node();
  EXPECT_FALSE(IsImpliedByRange(relu, *relu.input(0)->node()));
}

}  // namespace
}  // namespace ns
