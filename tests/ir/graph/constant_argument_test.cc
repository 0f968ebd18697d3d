#include "ir/graph/constant_argument.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

TEST(ConstantArgumentTest, IsFoundByItsNameInTheSchema) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %dims : int[]):
  %keepdim : bool = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::mean(%x, %dims, %keepdim, %none)
  return (%y))IR");
  const torch::jit::Node& mean = *graph.Named("y")->node();
  EXPECT_TRUE(ConstantArgument(mean, "keepdim")->toBool());
  EXPECT_TRUE(ConstantArgument(mean, "dtype")->isNone());
  EXPECT_FALSE(ConstantArgument(mean, "dim"));
  EXPECT_FALSE(ConstantArgument(mean, "stride"));
  EXPECT_TRUE(IsArgumentTrue(mean, "keepdim"));
  EXPECT_FALSE(IsArgumentTrue(mean, "dtype"));
  EXPECT_FALSE(IsArgumentTrue(mean, "dim"));
}

TEST(ConstantArgumentTest, MayBeFalse) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %dims : int[]):
  %keepdim : bool = prim::Constant[value=0]()
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::mean(%x, %dims, %keepdim, %none)
  return (%y))IR");
  EXPECT_FALSE(IsArgumentTrue(*graph.Named("y")->node(), "keepdim"));
}

}  // namespace
}  // namespace ns
