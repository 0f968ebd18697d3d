#include "passes/analysis/random_ops.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Names(const std::vector<torch::jit::Node*>& nodes) {
  std::vector<std::string> names;
  for (const torch::jit::Node* node : nodes) {
    names.emplace_back(OpName(*node));
  }
  return names;
}

TEST(RandomOpsTest, AreThoseThatDrawEachTime) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %c : bool):
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %yes : bool = prim::Constant[value=1]()
  %p : float = prim::Constant[value=0.5]()
  %zero : float = prim::Constant[value=0.]()
  %n : Tensor = aten::randn_like(%x, %none, %none, %none, %none, %none)
  %b : Tensor = aten::bernoulli(%n, %none)
  %evaluated : Tensor = aten::dropout(%b, %p, %no)
  %dropped : Tensor = aten::feature_dropout(%evaluated, %p, %yes)
  %kept : Tensor = aten::dropout(%dropped, %zero, %yes)
  %y : Tensor = prim::If(%c)
    block0():
      %u : Tensor = aten::uniform_(%kept, %zero, %p, %none)
      -> (%u)
    block1():
      %r : Tensor = aten::relu(%kept)
      -> (%r)
  return (%y))IR");
  EXPECT_THAT(Names(RandomOps(*graph)),
              ElementsAre("aten::randn_like", "aten::bernoulli",
                          "aten::feature_dropout", "aten::uniform_"));
  EXPECT_THAT(Names(TrainingOps(*graph)), ElementsAre("aten::feature_dropout"));
}

// Figures of the batch are other ones than in evaluation, and no chance.
TEST(RandomOpsTest, ABatchNormInTrainingIsNotRandom) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %w : Tensor, %e : float):
  %yes : bool = prim::Constant[value=1]()
  %y : Tensor = aten::batch_norm(%x, %w, %w, %w, %w, %yes, %e, %e, %yes)
  return (%y))IR");
  EXPECT_THAT(Names(RandomOps(*graph)), ElementsAre());
  EXPECT_THAT(Names(TrainingOps(*graph)), ElementsAre("aten::batch_norm"));
}

}  // namespace
}  // namespace ns
