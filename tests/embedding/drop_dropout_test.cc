// Tests of a host's pass with the helpers of ns: IR in, IR out. They also check
// that the graph is well formed, that the returned flag is right, and that a
// second run changes nothing.
#include "drop_dropout.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nspasses/ir/model/model_graph.h"
#include "nspasses/tests/testing/ir.h"
#include "nspasses/tests/testing/run_pass.h"

namespace compiler {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(DropDropoutTest, DropsDropoutInBranches) {
  ns::ExpectRewrite(DropDropout(), R"IR(
graph(%x : Tensor, %flag : bool):
  %p : float = prim::Constant[value=0.5]()
  %train : bool = prim::Constant[value=0]()
  %y : Tensor = prim::If(%flag)
    block0():
      %d : Tensor = aten::dropout(%x, %p, %train)
      -> (%d)
    block1():
      -> (%x)
  return (%y))IR",
                    R"IR(
graph(%x : Tensor, %flag : bool):
  %p : float = prim::Constant[value=0.5]()
  %train : bool = prim::Constant[value=0]()
  %y : Tensor = prim::If(%flag)
    block0():
      -> (%x)
    block1():
      -> (%x)
  return (%y))IR");
}

TEST(DropDropoutTest, KeepsDropoutThatMayTrain) {
  ns::ExpectUntouched(DropDropout(), R"IR(
graph(%x : Tensor, %train : bool):
  %p : float = prim::Constant[value=0.5]()
  %y : Tensor = aten::dropout(%x, %p, %train)
  return (%y))IR",
                      "it may train");
}

TEST(DropDropoutTest, LeavesNoDropoutInAModel) {
  ns::ModelGraph model = ns::ModelOf(R"IR(
graph(%x : Tensor):
  %p : float = prim::Constant[value=0.5]()
  %train : bool = prim::Constant[value=0]()
  %a : Tensor = aten::dropout(%x, %p, %train)
  %b : Tensor = aten::dropout(%a, %p, %train)
  return (%b))IR");
  ASSERT_THAT(ns::NodesOf(model.graph(), "aten::dropout"), SizeIs(2));
  EXPECT_TRUE(ns::RunPass(DropDropout(), model).changed);
  EXPECT_THAT(ns::NodesOf(model.graph(), "aten::dropout"), IsEmpty());
}

}  // namespace
}  // namespace compiler
