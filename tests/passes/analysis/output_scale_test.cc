#include "passes/analysis/output_scale.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

TEST(OutputScaleTest, IsTheInputThatTheSchemaCallsScale) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(R"IR(
graph(%a : Tensor, %b : Tensor, %scale : float, %zero_point : int):
  %sum : Tensor = quantized::add(%a, %b, %scale, %zero_point)
  return (%sum))IR");
  const torch::jit::Node& add = *NodeOf(*graph, "quantized::add");
  EXPECT_EQ(OutputScaleArgument(add), 2);
  EXPECT_EQ(OutputScaleInput(add), 2);
}

TEST(OutputScaleTest, IsNotTheFactorOfElu) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int, %factor : float):
  %y : Tensor = quantized::elu(%x, %scale, %zero_point, %factor, %factor, %factor)
  return (%y))IR");
  EXPECT_EQ(OutputScaleInput(*NodeOf(*graph, "quantized::elu")), 1);
}

TEST(OutputScaleTest, IsNoInputWhereItMayBeNone) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(R"IR(
graph(%all : Tensor[], %dim : int, %scale : float?, %zero_point : int?):
  %y : Tensor = quantized::cat(%all, %dim, %scale, %zero_point)
  return (%y))IR");
  const torch::jit::Node& cat = *NodeOf(*graph, "quantized::cat");
  EXPECT_EQ(OutputScaleArgument(cat), 2);
  EXPECT_EQ(OutputScaleInput(cat), -1);
}

TEST(OutputScaleTest, IsNoInputOfFloatOps) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int, %dtype : int):
  %y : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %z : Tensor = aten::relu(%x)
  return (%y, %z))IR");
  EXPECT_EQ(OutputScaleInput(*NodeOf(*graph, "aten::relu")), -1);
}

TEST(OutputScaleTest, SumsAndProductsWithANumberChoose) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(R"IR(
graph(%a : Tensor, %b : Tensor, %number : float, %scale : float, %zero : int):
  %y : Tensor = quantized::mul(%a, %number)
  %z : Tensor = quantized::add(%a, %b, %scale, %zero)
  %r : Tensor = aten::mul(%a, %b)
  return (%y, %z, %r))IR");
  EXPECT_TRUE(ChoosesQParams(*NodeOf(*graph, "quantized::mul")));
  EXPECT_FALSE(ChoosesQParams(*NodeOf(*graph, "quantized::add")));
  EXPECT_FALSE(ChoosesQParams(*NodeOf(*graph, "aten::mul")));
}

TEST(TakesNumberTest, IsToldOfConstantsAlone) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(R"IR(
graph(%a : Tensor, %b : Tensor, %number : float):
  %two : float = prim::Constant[value=2.]()
  %x : Tensor = aten::mul(%a, %two)
  %y : Tensor = aten::mul(%a, %b)
  %z : Tensor = aten::mul(%a, %number)
  %d : Tensor = aten::div(%a, %two)
  return (%x, %y, %z, %d))IR");
  EXPECT_TRUE(TakesNumber(*NodeOf(*graph, "aten::mul", 0)));
  EXPECT_FALSE(TakesNumber(*NodeOf(*graph, "aten::mul", 1)));
  EXPECT_FALSE(TakesNumber(*NodeOf(*graph, "aten::mul", 2)));
  EXPECT_FALSE(TakesNumber(*NodeOf(*graph, "aten::div")));
}

}  // namespace
}  // namespace ns
