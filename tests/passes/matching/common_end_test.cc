#include "passes/matching/common_end.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "passes/matching/matchable_nodes.h"
#include "passes/ops/op_relations.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;

constexpr char kConvNormRelu[] = R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int, %t : bool, %e : float):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %n : Tensor = aten::batch_norm(%c, %b, %b, %b, %b, %t, %e, %e, %t)
  %r : Tensor = aten::relu(%n)
  return (%r))IR";

constexpr char kConv[] = R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %s : float, %z : int):
  %c : Tensor = quantized::conv2d(%x, %p, %s, %z)
  return (%c))IR";

constexpr char kConvRelu[] = R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %s : float, %z : int):
  %c : Tensor = quantized::conv2d_relu(%x, %p, %s, %z)
  return (%c))IR";

// A graph whose first matchable node is a base op, with what follows it.
class Chain {
 public:
  explicit Chain(const char* text)
      : graph_(GraphOf(text)), nodes_(*graph_, relations_) {}
  explicit Chain(std::shared_ptr<Graph> graph)
      : graph_(std::move(graph)), nodes_(*graph_, relations_) {}

  Steps StepsOf() const { return StepsBehind(nodes_, 0, 0); }
  const MatchableNodes& nodes() const { return nodes_; }

 private:
  std::shared_ptr<Graph> graph_;
  const OpRelations relations_;
  const MatchableNodes nodes_;
};

CommonEnd Find(const Chain& a, const Chain& b) {
  const Steps steps_a = a.StepsOf();
  const Steps steps_b = b.StepsOf();
  return FindCommonEnd({a.nodes(), 0, steps_a}, {b.nodes(), 0, steps_b});
}

void PutInModule(Graph& graph, const std::string& op, const std::string& fqn) {
  for (Node* node : graph.nodes()) {
    if (OpName(*node) == op) {
      node->setScope(ScopeFor({fqn, 0, "Module"}, graph.current_scope()));
    }
  }
}

TEST(CommonEndTest, StepsEndAtAnActivation) {
  const Steps steps = Chain(kConvNormRelu).StepsOf();
  ASSERT_EQ(steps.size(), 2);
  EXPECT_EQ(steps[0].family, "batch_norm");
  EXPECT_EQ(steps[1].family, "relu");
  EXPECT_FALSE(steps[1].is_inside);
}

TEST(CommonEndTest, FusedActivationIsTheOnlyStep) {
  const Steps steps = Chain(kConvRelu).StepsOf();
  ASSERT_EQ(steps.size(), 1);
  EXPECT_EQ(steps[0].node, -1);
  EXPECT_TRUE(steps[0].is_inside);
}

TEST(CommonEndTest, FoldsNormAndTakesInWhatIsFused) {
  const CommonEnd end = Find(Chain(kConvNormRelu), Chain(kConvRelu));
  EXPECT_EQ(end.steps_a, 2);
  EXPECT_EQ(end.steps_b, 1);
  EXPECT_TRUE(end.is_same_place);
}

TEST(CommonEndTest, LeavesActivationThatTheOtherLacks) {
  const CommonEnd end = Find(Chain(kConvNormRelu), Chain(kConv));
  EXPECT_EQ(end.steps_a, 1);
  EXPECT_TRUE(end.is_same_place);
}

TEST(CommonEndTest, TellsWhenTheOtherDoesNotComputeWhatIsFused) {
  const CommonEnd end = Find(Chain(kConv), Chain(kConvRelu));
  EXPECT_FALSE(end.is_same_place);
}

// A layer norm whose range is that of `zero_point`, and clamps after it.
std::string NormAndClamps(int zero_point, const std::string& clamps) {
  return absl::Substitute(R"IR(
graph(%x : Tensor, %n : int[], %w : Tensor, %b : Tensor, %e : float):
  %s : float = prim::Constant[value=0.02]()
  %z : int = prim::Constant[value=$0]()
  %six : int = prim::Constant[value=6]()
  %c : Tensor = quantized::layer_norm(%x, %n, %w, %b, %e, %s, %z)
  $1
  return (%r))IR",
                          zero_point, clamps);
}

constexpr char kFloatNorm[] = R"IR(
graph(%x : Tensor, %n : int[], %w : Tensor, %b : Tensor, %e : float, %t : bool):
  %z : int = prim::Constant[value=0]()
  %six : int = prim::Constant[value=6]()
  %c : Tensor = aten::layer_norm(%x, %n, %w, %b, %e, %t)
  %r.1 : Tensor = aten::relu(%c)
  %r : Tensor = aten::clamp(%r.1, %z, %six)
  return (%r))IR";

TEST(CommonEndTest, TakesInClampsWhoseRangeTheOpBeforeThemHas) {
  const Chain a(kFloatNorm);
  const Chain b(NormAndClamps(0, R"(%r.1 : Tensor = aten::relu(%c)
  %r : Tensor = aten::clamp(%r.1, %z, %six))")
                    .c_str());
  const CommonEnd end = Find(a, b);
  EXPECT_EQ(end.steps_a, 2);
  EXPECT_EQ(end.steps_b, 2);
  EXPECT_TRUE(end.is_same_place);
}

TEST(CommonEndTest, TakesInAClampOfAnyOpThatTheOtherModelHasLeftOut) {
  const CommonEnd end = Find(
      Chain(kFloatNorm),
      Chain(NormAndClamps(0, "%r : Tensor = aten::dequantize(%c)").c_str()));
  EXPECT_EQ(end.steps_a, 2);
  EXPECT_EQ(end.steps_b, 0);
}

TEST(CommonEndTest, KeepsClampsApartFromAnOpWithARangeOfItsOwn) {
  const Chain b(NormAndClamps(9, "%r : Tensor = aten::relu(%c)").c_str());
  const CommonEnd end = Find(Chain(kFloatNorm), b);
  EXPECT_EQ(end.steps_a, 0);
  EXPECT_EQ(end.steps_b, 0);
}

TEST(CommonEndTest, DoesNotFoldANormThatTheOtherModelHasElsewhere) {
  const auto graph_a = GraphOf(kConvNormRelu);
  PutInModule(*graph_a, "aten::batch_norm", "bn");
  const auto graph_b = GraphOf(R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %s : float, %z : int, %b : Tensor, %t : bool, %e : float):
  %c : Tensor = quantized::conv2d(%x, %p, %s, %z)
  %o : Tensor = some::op(%c)
  %n : Tensor = aten::batch_norm(%o, %b, %b, %b, %b, %t, %e, %e, %t)
  return (%n))IR");
  PutInModule(*graph_b, "aten::batch_norm", "bn");
  EXPECT_EQ(Find(Chain(graph_a), Chain(graph_b)).steps_a, 0);
  PutInModule(*graph_b, "aten::batch_norm", "other");
  EXPECT_EQ(Find(Chain(graph_a), Chain(graph_b)).steps_a, 1);
}

}  // namespace
}  // namespace ns
