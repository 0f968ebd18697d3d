#include "passes/matching/matchable_nodes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MatchableNodesTest : public testing::Test {
 protected:
  std::vector<std::string> Families(absl::string_view text) {
    graph_ = GraphOf(text);
    const MatchableNodes nodes(*graph_, relations_);
    std::vector<std::string> families;
    for (int i = 0; i < nodes.size(); ++i) {
      families.push_back(std::string(nodes[i].family));
      EXPECT_EQ(nodes.IndexOf(nodes[i].node), i);
    }
    return families;
  }

  OpRelations relations_;
  std::shared_ptr<torch::jit::Graph> graph_;
};

TEST_F(MatchableNodesTest, LeavesOutWhatOnlyHandsDataOn) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor, %sizes : int[], %scale : float, %n : int):
  %a : Tensor = aten::view(%x, %sizes)
  %q : Tensor = aten::quantize_per_tensor(%a, %scale, %n, %n)
  %d : Tensor = aten::dequantize(%q)
  %y : Tensor = aten::relu(%d)
  return (%y))IR"),
              ElementsAre("relu"));
}

TEST_F(MatchableNodesTest, OpsOutsideTheTableAreTheirOwnFamily) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::erfinv(%x)
  return (%y))IR"),
              ElementsAre("aten::erfinv"));
}

TEST_F(MatchableNodesTest, LeavesOutOpsThatYieldNoTensor) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor):
  %y : int = aten::dim(%x)
  return (%y))IR"),
              IsEmpty());
}

TEST_F(MatchableNodesTest, ListsControlFlowBeforeWhatItHolds) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor, %n : int, %go : bool):
  %y : Tensor = prim::Loop(%n, %go, %x)
    block0(%i : int, %v : Tensor):
      %a : Tensor = aten::sigmoid(%v)
      -> (%go, %a)
  return (%y))IR"),
              ElementsAre(kLoopFamily, "sigmoid"));
}

TEST_F(MatchableNodesTest, LeavesOutControlFlowThatOnlyMovesData) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor, %n : int, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::unsqueeze(%x, %n)
      -> (%a)
    block1():
      -> (%x)
  return (%y))IR"),
              IsEmpty());
}

TEST_F(MatchableNodesTest, IfWithDifferentOpsInItsArmsIsControlFlow) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::tanh(%x)
      -> (%b)
  return (%y))IR"),
              ElementsAre(kIfFamily, "sigmoid", "tanh"));
}

TEST_F(MatchableNodesTest, IfWithOneOpInBothArmsIsThatOp) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu_(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::relu(%x)
      -> (%b)
  return (%y))IR"),
              ElementsAre("relu"));
}

TEST_F(MatchableNodesTest, DropoutInAnArmIsNoSecondOp) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor, %p : bool, %rate : float, %train : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %d : Tensor = aten::dropout(%x, %rate, %train)
      %a : Tensor = aten::relu(%d)
      -> (%a)
    block1():
      %b : Tensor = aten::relu(%x)
      -> (%b)
  return (%y))IR"),
              ElementsAre("relu"));
}

TEST_F(MatchableNodesTest, AnActivationFusedInOneArmMakesTwoOps) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor, %p : bool, %s : float, %n : int):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = quantized::add_relu(%x, %x, %s, %n)
      -> (%a)
    block1():
      %b : Tensor = quantized::add(%x, %x, %s, %n)
      -> (%b)
  return (%y))IR"),
              ElementsAre(kIfFamily, "add", "add"));
}

// The other model can tell the arms apart as little as its paths do.
TEST_F(MatchableNodesTest, PathsTellArmsApartWhereBothModelsHaveThem) {
  graph_ = GraphOf(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::relu(%x)
      -> (%b)
  return (%y))IR");
  EXPECT_FALSE(HasModulePaths(*graph_));
  torch::jit::Node* conditional = NodeOf(*graph_, "prim::If");
  for (const auto& [arm, name] :
       {std::pair(0, "first"), std::pair(1, "other")}) {
    (*conditional->blocks()[arm]->nodes().begin())
        ->setScope(ScopeFor({name, 0, "M"}, graph_->current_scope()));
  }
  EXPECT_TRUE(HasModulePaths(*graph_));
  using OtherModel = MatchableNodes::OtherModel;
  EXPECT_EQ(MatchableNodes(*graph_, relations_, OtherModel::kHasPaths).size(),
            3);
  EXPECT_EQ(MatchableNodes(*graph_, relations_, OtherModel::kHasNoPaths).size(),
            1);
}

TEST_F(MatchableNodesTest, IfWithOneOpOnAnotherVariableInEachArmIsControlFlow) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor, %y : Tensor, %p : bool):
  %a : Tensor, %b : Tensor = prim::If(%p)
    block0():
      %t : Tensor = aten::tanh(%x)
      -> (%t, %y)
    block1():
      %u : Tensor = aten::tanh(%y)
      -> (%x, %u)
  return (%a, %b))IR"),
              ElementsAre(kIfFamily, "tanh", "tanh"));
}

// Two relus in a row are more than one op in two forms.
TEST_F(MatchableNodesTest, IfWithSeveralOpsInAnArmIsControlFlow) {
  EXPECT_THAT(Families(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      %c : Tensor = aten::sigmoid(%a)
      -> (%c)
    block1():
      %b : Tensor = aten::sigmoid(%x)
      -> (%b)
  return (%y))IR"),
              ElementsAre(kIfFamily, "sigmoid", "sigmoid", "sigmoid"));
}

TEST_F(MatchableNodesTest, SourcesAreNearestFirst) {
  graph_ = GraphOf(R"IR(
graph(%x : Tensor, %n : int):
  %a : Tensor = aten::sigmoid(%x)
  %s : Tensor = aten::softmax(%a, %n, %n)
  %u : Tensor = aten::unsqueeze(%s, %n)
  %r : Tensor = aten::relu(%u)
  return (%r))IR");
  const MatchableNodes nodes(*graph_, relations_);
  const auto out = [&](absl::string_view op) {
    return NodeOf(*graph_, op)->output();
  };
  std::vector<const torch::jit::Value*> sources;
  std::vector<int> makers;
  for (const Source& source : nodes.Sources(out("aten::relu"))) {
    sources.push_back(source.value);
    makers.push_back(source.node);
  }
  EXPECT_THAT(sources, ElementsAre(out("aten::relu"), out("aten::unsqueeze"),
                                   out("aten::softmax")));
  EXPECT_THAT(makers, ElementsAre(3, 2, 1));
}

TEST_F(MatchableNodesTest, SourcesGoOnOutsideOfTheBlock) {
  graph_ = GraphOf(R"IR(
graph(%x : Tensor, %p : bool, %rate : float, %train : bool):
  %a : Tensor = aten::relu(%x)
  %y : Tensor = prim::If(%p)
    block0():
      %d : Tensor = aten::dropout(%a, %rate, %train)
      %s : Tensor = aten::add(%d, %a, %rate)
      -> (%s)
    block1():
      %t : Tensor = aten::tanh(%a)
      -> (%t)
  return (%y))IR");
  const MatchableNodes nodes(*graph_, relations_);
  const torch::jit::Node* add = NodeOf(*graph_, "aten::add");
  std::vector<const torch::jit::Value*> sources;
  for (const Source& source :
       nodes.Sources(const_cast<torch::jit::Value*>(add->input(0)))) {
    sources.push_back(source.value);
  }
  EXPECT_THAT(sources,
              ElementsAre(add->input(0), add->input(1), graph_->inputs()[0]));
}

TEST_F(MatchableNodesTest, WeightShapeComesFromType) {
  graph_ = GraphOf(R"IR(
graph(%x : Tensor, %w : Float(3, 4), %none : NoneType):
  %y : Tensor = aten::linear(%x, %w, %none)
  return (%y))IR");
  const MatchableNodes nodes(*graph_, relations_);
  ASSERT_EQ(nodes.size(), 1);
  EXPECT_EQ(nodes[0].weight_shape, (std::vector<int64_t>{3, 4}));
}

TEST(ComparedOutputTest, IsFirstTensorOrListOfTensors) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %n : int):
  %l : Tensor[] = aten::chunk(%x, %n, %n)
  %d : int = aten::dim(%x)
  return (%l, %d))IR");
  torch::jit::Node* chunk = NodeOf(*graph, "aten::chunk");
  EXPECT_EQ(ComparedOutput(*chunk), chunk->output());
  EXPECT_EQ(ComparedOutput(*NodeOf(*graph, "aten::dim")), nullptr);
}

}  // namespace
}  // namespace ns
