#include "passes/quantization/observe/observer_plan.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/passes/quantization/observe/plans.h"
#include "tests/testing/float_model.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Its int8 op is given a scale.
TEST(ObserverPlanTest, CatOfFixedScalesHasARangeOfItsOwn) {
  EXPECT_THAT(
      Layers(PlanOf({absl::StrCat("a = ", LinearOf("x")),
                     "return torch.cat([torch.sigmoid(a), torch.tanh(a)])"})),
      ElementsAre("linear 0 -> 1", "sigmoid 1 -> 2", "tanh 1 -> 3",
                  "cat 2 3 -> 4"));
}

TEST(ObserverPlanTest, CatOfUnbalancedInputsHasARangeOfItsOwn) {
  const std::vector<std::string> body = {absl::StrCat("a = ", LinearOf("x")),
                                         "return torch.cat([a, a + x])"};
  EXPECT_THAT(Layers(PlanOf(body)),
              ElementsAre("linear 0 -> 1", "add 1 0 -> 1", "cat 1 1 -> 1"));
  ObserverPlanOptions options = Everywhere();
  options.parts.own_ranges = {"cat"};
  EXPECT_THAT(Layers(PlanOf(body, options)),
              ElementsAre("linear 0 -> 1", "add 1 0 -> 2", "cat 1 2 -> 3"));
}

TEST(ObserverPlanTest, NumbersShareTheObserverOfTheirInputInFx) {
  const std::vector<std::string> body = {
      absl::StrCat("a = ", LinearOf("x"), " * 2"), "return torch.relu(a + 1)"};
  EXPECT_THAT(Layers(PlanOf(body)),
              ElementsAre("linear 0 -> 1", "mul 1 -> 2", "add 2 -> 3"));
  const ObserverPlan in_fx = PlanOf(body, Compat());
  EXPECT_THAT(Layers(in_fx),
              ElementsAre("linear 0 -> 1", "mul 1 -> 1", "add 1 -> 1"));
  EXPECT_TRUE(absl::c_all_of(
      in_fx.points, [](const ObservedPoint& point) { return point.is_seen; }));
}

TEST(ObserverPlanTest, RulesOfTheMappingDecide) {
  const ModelGraph model = ModelOfModules();
  const ObserverPlan plan =
      PlanObservers(model.graph(),
                    Mapped(QConfigMapping()
                               .SetGlobal(Int8PerTensorQConfig())
                               .SetObjectType("linear", Int8PerChannelQConfig())
                               .SetModuleName("conv", DefaultQConfig())
                               .SetModuleNameObjectTypeOrder("fc", "linear", 1,
                                                             std::nullopt)));
  std::vector<std::string> lines;
  for (const PlannedLayer& layer : plan.layers) {
    lines.push_back(
        absl::StrCat(layer.name, ": ", layer.qconfig, ", ", layer.rule));
  }
  EXPECT_THAT(
      lines,
      ElementsAre("conv: static 0..127, int8 weight per tensor, module name "
                  "'conv'",
                  "fc: int8 per channel, object type 'linear'",
                  "add: int8 per tensor, global"));
  EXPECT_THAT(StayedFloat(plan),
              ElementsAre("fc@1: its qconfig is none (object type 'linear' "
                          "number 1 in module 'fc')"));
}

TEST(ObserverPlanTest, AValueHasAPointForEachQConfigOfItsUsers) {
  QConfig seven_bits = Int8PerTensorQConfig();
  seven_bits.activation.config.reduce_range = true;
  const ModelGraph model =
      FloatModel({absl::StrCat("return ", LinearOf("x"), ", ", ConvOf("x"),
                               ", torch.linear(x, self.w)")});
  const ObserverPlan plan = PlanObservers(
      model.graph(), Mapped(QConfigMapping()
                                .SetGlobal(Int8PerTensorQConfig())
                                .SetObjectType("conv2d", seven_bits)));
  EXPECT_THAT(Layers(plan),
              ElementsAre("linear 0 -> 1", "conv2d 2 -> 3", "linear@1 0 -> 4"));
  const torch::jit::Value* x = model.graph().inputs()[1];
  std::vector<std::string> points;
  for (const ObservedPoint& point : plan.points) {
    if (point.value == x) {
      points.push_back(absl::StrCat(
          point.observer, ":",
          absl::StrJoin(point.users, ",",
                        [](std::string* out, const torch::jit::Node* node) {
                          absl::StrAppend(out, ShortOpName(OpName(*node)));
                        })));
    }
  }
  EXPECT_THAT(points, ElementsAre("0:linear,linear", "2:conv2d"));
  EXPECT_TRUE(plan.observers[2].config.reduce_range);
}

TEST(ObserverPlanTest, TransposedConvolutionsHaveOneScale) {
  const ObserverPlan plan =
      PlanOf({"return torch.conv_transpose2d(x, self.w2, self.b)"},
             Mapped(QConfigMapping().SetGlobal(Int8PerChannelQConfig())));
  ASSERT_EQ(plan.weights.size(), 1);
  EXPECT_EQ(plan.weights[0].spec.config.qscheme, at::kPerTensorSymmetric);
  EXPECT_EQ(plan.weights[0].input, 1);
  EXPECT_THAT(plan.warnings,
              ElementsAre("conv_transpose2d: its weight gets one scale; "
                          "kernels of transposed convolutions do not take one "
                          "for each channel"));
  EXPECT_THAT(
      PlanOf({"return torch.conv_transpose2d(x, self.w2, self.b)"}).warnings,
      IsEmpty());
}

TEST(ObserverPlanTest, LayersInsideControlFlowMayNeverRun) {
  const ObserverPlan plan =
      PlanOf({absl::StrCat("a = ", LinearOf("x")), "if x.size(0) > 1:",
              absl::StrCat("  a = ", LinearOf("a")), "return a * x"});
  ASSERT_EQ(plan.layers.size(), 3);
  EXPECT_FALSE(plan.layers[0].is_conditional);
  EXPECT_TRUE(plan.layers[1].is_conditional);
  EXPECT_FALSE(plan.layers[2].is_conditional);
}

// A clamp that may not run does not tell the range of what it would clamp.
TEST(ObserverPlanTest, ClampInAnArmDoesNotGiveItsRange) {
  const ModelGraph model =
      FloatModel({absl::StrCat("a = ", LinearOf("x")),
                  "if x.size(0) > 1:", "  a = torch.relu6(a)",
                  "else:", "  a = torch.exp(x)", "return a"});
  const ObserverPlan plan = PlanObservers(model.graph(), Everywhere());
  EXPECT_THAT(Layers(plan), ElementsAre("linear 0 -> 1", "relu6 1 -> 1"));
  for (const ObservedPoint& point : plan.points) {
    const bool is_linear =
        point.value == NodeOf(model.graph(), "aten::linear")->output();
    EXPECT_EQ(point.is_seen, is_linear || point.observer == 0);
  }
}

// The erf has no int8 form: no plan has a layer for it.
TEST(ObserverPlanTest, LayersHaveTheIdsOfThePlanner) {
  const ModelGraph model =
      FloatModel({absl::StrCat("return ", LinearOf("torch.erf(x)"))});
  const ObserverPlanner planner(model.graph());
  const ObserverPlan plan = planner.Plan(Everywhere());
  ASSERT_EQ(planner.layers().size(), 2);
  ASSERT_EQ(plan.layers.size(), 1);
  EXPECT_EQ(LayerOf(planner.layers(), plan.layers[0].id).subgraph.base,
            plan.layers[0].base);
}

TEST(ObserverPlanTest, CompatRunsPoolsOfFloatValuesInInt8) {
  EXPECT_THAT(Layers(PlanOf({"return torch.max_pool2d(x, [2, 2])"}, Compat())),
              ElementsAre("max_pool2d 0 -> 0"));
}

TEST(ObserverPlanTest, CompatObservesBehindReshapes) {
  const std::vector<std::string> body = {
      absl::StrCat("return torch.flatten(", LinearOf("x"), ", 0)")};
  EXPECT_EQ(PlanOf(body).points.size(), 2);
  EXPECT_EQ(PlanOf(body, Compat()).points.size(), 3);
}

TEST(ObserverPlanTest, CompatSeesClampsOnBothSides) {
  const std::vector<std::string> body = {
      absl::StrCat("return torch.relu6(", LinearOf("x"), ")")};
  const auto count_seen = [](const ObserverPlan& plan) {
    return absl::c_count_if(
        plan.points, [](const ObservedPoint& point) { return point.is_seen; });
  };
  EXPECT_EQ(count_seen(PlanOf(body)), 2);
  EXPECT_EQ(count_seen(PlanOf(body, Compat())), 3);
}

TEST(ObserverPlanTest, CompatEndsTheFlowAtChunk) {
  const std::vector<std::string> body = {
      absl::StrCat("a, b = torch.chunk(", LinearOf("x"), ", 2, 1)"),
      "return a + b"};
  EXPECT_THAT(Layers(PlanOf(body)),
              ElementsAre("linear 0 -> 1", "add 1 1 -> 2"));
  EXPECT_THAT(Layers(PlanOf(body, Compat())),
              ElementsAre("linear 0 -> 1", "add 2 3 -> 4"));
}

// Then the cat has no input with an observer.
TEST(ObserverPlanTest, CompatCatOfSizedValuesHasARangeOfItsOwn) {
  EXPECT_THAT(Layers(PlanOf({"y = torch.cat([x, x], 1)",
                             "return y, x.view(x.size(0), -1)"},
                            Compat())),
              ElementsAre("cat  -> 0"));
}

}  // namespace
}  // namespace ns
