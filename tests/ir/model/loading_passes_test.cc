#include "ir/model/loading_passes.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

TEST(LoadingPipelineTest, KeepsParametersWhenNotAskedToFreeze) {
  ModelGraphOptions options;
  options.freeze = false;
  const torch::jit::Module module = MakeModel(
      {{"fc", Linear(at::ones({2, 2}))}}, {"return self.fc.forward(x)"});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(module, options));
  EXPECT_FALSE(NodesOf(model.graph(), "prim::GetAttr").empty());
  EXPECT_EQ(NodesOf(model.graph(), "aten::linear").size(), 1);
  EXPECT_TRUE(
      NodesOf(OrThrow(ModelGraph::FromModule(module)).graph(), "prim::GetAttr")
          .empty());
}

TEST(LoadingPipelineTest, CanBeWatched) {
  std::vector<std::string> passes;
  ModelGraphOptions options;
  options.run.after = [&](int64_t, absl::string_view pass, const ModelGraph&) {
    passes.emplace_back(pass);
    return absl::OkStatus();
  };
  OrThrow(ModelGraph::FromModule(
      MakeModel({{"relu", Relu()}}, {"return self.relu.forward(x)"}), options));
  EXPECT_THAT(passes, ElementsAre("inline-modules", "freeze", "fold-attributes",
                                  "explicit-convolutions", "linear-of-addmm",
                                  "take-slow-paths", "drop-exception-checks",
                                  "lower-tuples", "follow-writes",
                                  "eliminate-dead-code"));
}

// LibTorch's freezing would put constants into another order.
TEST(FreezePassTest, DoesNothingToAModelThatIsFrozen) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"fc", Linear(at::ones({2, 2}))}}, {"return self.fc.forward(x)"})));
  EXPECT_TRUE(model.is_frozen());
  EXPECT_FALSE(RunPass(FreezePass(), model).changed);
  ModelGraph copy = OrThrow(model.Clone());
  EXPECT_TRUE(copy.is_frozen());
}

// No node goes, only an output.
TEST(EliminateDeadCodePassTest, OutputsThatNothingReadsAreAChange) {
  ExpectRewrite(EliminateDeadCodePass(), R"IR(
graph(%x : Tensor, %y : Tensor, %c : bool):
  %a : Tensor, %b : Tensor = prim::If(%c)
    block0():
      -> (%x, %y)
    block1():
      -> (%y, %x)
  return (%a))IR",
                R"IR(
graph(%x : Tensor, %y : Tensor, %c : bool):
  %a : Tensor = prim::If(%c)
    block0():
      -> (%x)
    block1():
      -> (%y)
  return (%a))IR");
}

// One node goes, another comes.
TEST(LowerTuplesPassTest, ASliceThatBecomesATupleIsAChange) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %y : Tensor, %z : Tensor):
  %all : (Tensor, Tensor, Tensor) = prim::TupleConstruct(%x, %y, %z)
  %two : (Tensor, Tensor) = prim::TupleSlice[beg=0, end=2](%all)
  return (%two, %all))IR");
  EXPECT_TRUE(RunPass(LowerTuplesPass(), graph).changed);
  EXPECT_TRUE(NodesOf(*graph, "prim::TupleSlice").empty());
}

}  // namespace
}  // namespace ns
