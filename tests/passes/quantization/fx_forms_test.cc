#include "passes/quantization/fx_forms.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

TEST(FxFormsTest, PrepareFxKnowsReshapesAndNoSlices) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::flatten(%x, %one, %one)
  %z : Tensor = aten::slice(%y, %one, %one, %one, %one)
  return (%z))IR");
  EXPECT_TRUE(MovesValuesInFx(*NodeOf(*graph, "aten::flatten")));
  EXPECT_TRUE(MovesValues(*NodeOf(*graph, "aten::slice")));
  EXPECT_FALSE(MovesValuesInFx(*NodeOf(*graph, "aten::slice")));
}

TEST(FxFormsTest, NumbersHaveTheRangeOfTheirInput) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %w : Tensor):
  %two : float = prim::Constant[value=2.]()
  %y : Tensor = aten::mul(%x, %two)
  %z : Tensor = aten::mul(%y, %w)
  %l : Tensor = aten::log(%z)
  return (%l))IR");
  const torch::jit::Node& number = *NodeOf(*graph, "aten::mul", 0);
  EXPECT_EQ(OrThrow(Int8FormInFx(number)), Int8Form::kRangeOfInput);
  EXPECT_EQ(OrThrow(Int8FormOf(number)), Int8Form::kOwnRange);
  EXPECT_EQ(OrThrow(Int8FormInFx(*NodeOf(*graph, "aten::mul", 1))),
            Int8Form::kOwnRange);
  EXPECT_EQ(MessageOf(Int8FormInFx(*NodeOf(*graph, "aten::log"))),
            MessageOf(Int8FormOf(*NodeOf(*graph, "aten::log"))));
}

}  // namespace
}  // namespace ns
