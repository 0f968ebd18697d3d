// Which layers PlanObservers leaves in float, and the reasons that it gives.
#include <ATen/Context.h>
#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/observe/observer_plan.h"
#include "tests/passes/quantization/observe/plans.h"
#include "tests/testing/float_model.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ObserverPlanOptions Keeping(const std::vector<std::string>& keep) {
  ObserverPlanOptions options = Everywhere();
  options.keep = keep;
  return options;
}

// Why the one layer of the model stays in float.
std::string ReasonOf(const std::vector<std::string>& body,
                     const ObserverPlanOptions& options = Everywhere()) {
  const ObserverPlan plan = PlanOf(body, options);
  EXPECT_EQ(plan.stayed_float.size(), 1) << absl::StrJoin(body, "\n");
  return plan.stayed_float.empty() ? "" : plan.stayed_float[0].reason;
}

TEST(ObserverPlanRefusalsTest, OpsStayFloatForAReason) {
  EXPECT_EQ(ReasonOf({"return torch.cdist(x, x)"}),
            "the table of ops does not know it");
  EXPECT_EQ(ReasonOf({"return torch.exp(x)"}), "it has no int8 form");
  EXPECT_EQ(ReasonOf({"return torch.silu(x)"}),
            "LibTorch has no int8 kernel for it");
  EXPECT_EQ(ReasonOf({"return torch.add(x, x, alpha=2)"}),
            "it multiplies its second operand");
  EXPECT_EQ(ReasonOf({"return torch.linear(x, x)"}),
            "its weight is not constant");
  EXPECT_EQ(ReasonOf({"return torch.linear(x, self.w, x[0])"}),
            "its bias is not constant");
  EXPECT_EQ(ReasonOf({"return torch.max_pool2d(x, [2, 2])"}),
            "its input is not quantized");
  EXPECT_EQ(ReasonOf({"return torch.sigmoid(x)"}),
            "its input is not quantized");
}

TEST(ObserverPlanRefusalsTest, ListsThatOnlyARunTellsKeepTheirOpInFloat) {
  const ModelGraph model =
      FloatModel({"return torch.cat(x, 1)"}, "x: List[Tensor]");
  EXPECT_THAT(StayedFloat(PlanObservers(model.graph(), Everywhere())),
              ElementsAre("cat: only a run tells which tensors it takes"));
  EXPECT_EQ(ReasonOf({"l = [x]", "l.append(x)", "return torch.cat(l, 0)"}),
            "only a run tells which tensors it takes");
}

TEST(ObserverPlanRefusalsTest, FixedScalesThatDifferCannotBeStacked) {
  const ObserverPlan plan =
      PlanOf({absl::StrCat("a = ", LinearOf("x")),
              "return torch.stack([torch.sigmoid(a), torch.tanh(a)])"});
  EXPECT_THAT(StayedFloat(plan),
              ElementsAre("stack: its inputs have fixed scales, which differ"));
  // A sigmoid and a value that can have any scale neither: that is quantized
  // with its own already.
  EXPECT_THAT(
      StayedFloat(PlanOf({absl::StrCat("a = ", LinearOf("x")),
                          "return torch.stack([a, torch.sigmoid(a)])"})),
      ElementsAre("stack: its inputs have fixed scales, which differ"));
}

// Layers with a weight quantize what they take of them.
TEST(ObserverPlanRefusalsTest, LostPartsKeepWhatHoldsThemInFloat) {
  ObserverPlanOptions options = Everywhere();
  options.parts.lost = {{"cat", "why"}};
  const ModelGraph model = FloatModel(
      {absl::StrCat("a = ", LinearOf("x")), "c = torch.cat([a, a + x])",
       absl::StrCat("return c * 2, ", LinearOf("c.flatten(0, 1)"))});
  const ObserverPlan plan = PlanObservers(model.graph(), options);
  EXPECT_THAT(
      StayedFloat(plan),
      ElementsAre("cat: why",
                  "mul: one scale would lose parts of its input, which cat "
                  "put together"));
  EXPECT_THAT(Layers(plan),
              ElementsAre("linear 0 -> 1", "add 1 0 -> 2", "linear@1 3 -> 4"));
  EXPECT_EQ(plan.points[3].users.size(), 1);
}

TEST(ObserverPlanRefusalsTest, FixedScalesThatAreEqualCanBeStacked) {
  const ObserverPlan plan =
      PlanOf({absl::StrCat("a = ", LinearOf("x")),
              "return torch.stack([torch.sigmoid(a), torch.sigmoid(a * a)])"});
  EXPECT_THAT(StayedFloat(plan), IsEmpty());
}

TEST(ObserverPlanRefusalsTest, ValuesThatAreWrittenToKeepTheirOpsInFloat) {
  const ObserverPlan plan =
      PlanOf({absl::StrCat("a = ", LinearOf("x")), "a[0] = 1", "return a + x"});
  EXPECT_THAT(StayedFloat(plan),
              ElementsAre("linear: an op in place writes to its values",
                          "add: an op in place writes to its values"));
  EXPECT_THAT(plan.points, IsEmpty());
}

TEST(ObserverPlanRefusalsTest, QnnpackCannotSaveConvolutionsOver3Dimensions) {
  const std::vector<std::string> conv3d = {
      "return torch.conv3d(x, self.w2.unsqueeze(4))"};
  const at::QEngine before = at::globalContext().qEngine();
  at::globalContext().setQEngine(at::kQNNPACK);
  const std::string reason = ReasonOf(conv3d);
  at::globalContext().setQEngine(before);
  EXPECT_EQ(reason, "qnnpack cannot save it");
  EXPECT_THAT(StayedFloat(PlanOf(conv3d)), IsEmpty());
}

QConfig WithActivations(at::ScalarType dtype) {
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.activation.config.dtype = dtype;
  return qconfig;
}

TEST(ObserverPlanRefusalsTest, DtypesThatNoKernelTakesKeepLayersInFloat) {
  const std::vector<std::string> body = {"return x + x"};
  const auto with = [](at::ScalarType dtype) {
    return Mapped(QConfigMapping().SetGlobal(WithActivations(dtype)));
  };
  ObserverPlanOptions options = with(at::kQInt32);
  EXPECT_EQ(ReasonOf(body, options),
            "no int8 kernel takes activations of qint32");
  options.compat = true;
  EXPECT_EQ(ReasonOf(body, options),
            "no int8 kernel takes activations of qint32");
  options = with(at::kQInt32);
  options.reference = true;
  EXPECT_THAT(StayedFloat(PlanOf(body, options)), IsEmpty());
  EXPECT_THAT(StayedFloat(PlanOf(body, with(at::kQInt8))), IsEmpty());
}

// What it takes is then seen in front of it.
TEST(ObserverPlanRefusalsTest, ClampsOfOtherDtypesDoNotGiveTheirRange) {
  const ObserverPlan plan =
      PlanOf({absl::StrCat("return torch.relu6(", LinearOf("x"), ")")},
             Mapped(QConfigMapping()
                        .SetGlobal(Int8PerTensorQConfig())
                        .SetObjectType("relu6", WithActivations(at::kQInt32))));
  EXPECT_THAT(StayedFloat(plan),
              ElementsAre("relu6: no int8 kernel takes activations of qint32"));
  ASSERT_EQ(plan.points.size(), 2);
  EXPECT_TRUE(plan.points[1].is_seen);
}

TEST(ObserverPlanRefusalsTest, KeptLayersStayFloat) {
  const std::vector<std::string> body = {
      absl::StrCat("a = ", LinearOf("x"), " + x"), "return a + x"};
  EXPECT_THAT(StayedFloat(PlanOf(body, Keeping({"add@1"}))),
              ElementsAre("add@1: kept in float ('add@1')"));
  EXPECT_THAT(StayedFloat(PlanOf(body, Keeping({"aten::linear", "add*"}))),
              ElementsAre("linear: kept in float ('aten::linear')",
                          "add: kept in float ('add*')",
                          "add@1: kept in float ('add*')"));
}

TEST(ObserverPlanRefusalsTest, ModulesAreKeptByNameAndType) {
  const ModelGraph model = ModelOfModules();
  const auto kept = [&](const std::string& entry) {
    return StayedFloat(PlanObservers(model.graph(), Keeping({entry})));
  };
  EXPECT_THAT(kept("conv"), ElementsAre("conv: kept in float ('conv')"));
  EXPECT_THAT(kept("Conv2d"), ElementsAre("conv: kept in float ('Conv2d')"));
  EXPECT_THAT(kept("fc@1"), ElementsAre("fc@1: kept in float ('fc@1')"));
  EXPECT_THAT(
      kept("torch.nn.modules.linear.Linear"),
      ElementsAre("fc: kept in float ('torch.nn.modules.linear.Linear')",
                  "fc@1: kept in float "
                  "('torch.nn.modules.linear.Linear')"));
}

TEST(ObserverPlanRefusalsTest, EntriesThatKeepNothingAreTold) {
  const ObserverPlan plan = PlanOf({absl::StrCat("return ", LinearOf("x"))},
                                   Keeping({"layer1.*", "linear", "conv2d"}));
  EXPECT_THAT(plan.unused_rules,
              ElementsAre("keep 'layer1.*'", "keep 'conv2d'"));
}

TEST(ObserverPlanRefusalsTest, LayersStayFloatForAReasonOfTheCallers) {
  ObserverPlanOptions options = Everywhere();
  options.float_layers = {{"add", "because"}, {"other", "unused"}};
  EXPECT_EQ(ReasonOf({absl::StrCat("return ", LinearOf("x"), " + x")}, options),
            "because");
}

TEST(ObserverPlanRefusalsTest, LayersWithoutARuleStayFloat) {
  EXPECT_EQ(ReasonOf({absl::StrCat("return ", LinearOf("x"))},
                     Mapped(QConfigMapping().SetObjectType(
                         "conv2d", Int8PerTensorQConfig()))),
            "no rule of the qconfig mapping is for it");
}

// quantize-dynamic sees to them, and says so.
TEST(ObserverPlanRefusalsTest, LayersOfOtherModesAreNotMentioned) {
  for (const QConfig& qconfig :
       {DynamicQConfig(), Fp16QConfig(), Int4WeightsQConfig()}) {
    const ObserverPlan plan =
        PlanOf({absl::StrCat("return ", LinearOf("x"))},
               Mapped(QConfigMapping().SetGlobal(qconfig)));
    EXPECT_THAT(plan.layers, IsEmpty());
    EXPECT_THAT(plan.stayed_float, IsEmpty());
  }
}

TEST(ObserverPlanRefusalsTest, CompatTakesSizedValuesForIntegers) {
  const std::vector<std::string> body = {absl::StrCat("a = ", LinearOf("x")),
                                         "return a.view(a.size(0), -1)"};
  EXPECT_THAT(StayedFloat(PlanOf(body)), IsEmpty());
  EXPECT_THAT(StayedFloat(PlanOf(body, Compat())),
              ElementsAre("linear: prepare_fx takes its values for integers"));
}

}  // namespace
}  // namespace ns
