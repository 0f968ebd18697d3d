#include "ns/n_shadows/sensitivity.h"

#include <ATen/Functions.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double kExact = std::numeric_limits<double>::infinity();
const std::optional<int> kFloat;

// Statistics with this SQNR.
PairStatistics WithSqnr(double db) {
  PairStatistics statistics;
  statistics.count = 1;
  statistics.sum_x2 = 1;
  statistics.sum_e2 = std::isinf(db) ? 0 : std::pow(10, -db / 10);
  return statistics;
}

// Candidates int8 per tensor, dynamic, fp16; SQNR of each by layer, nan for one
// that the layer does not have.
Sensitivity Of(const std::vector<std::vector<double>>& layers) {
  Sensitivity sensitivity;
  sensitivity.candidates = {Int8PerTensorQConfig(), DynamicQConfig(),
                            Fp16QConfig()};
  for (const std::vector<double>& sqnr : layers) {
    ShadowedSubgraph layer;
    for (size_t i = 0; i < sqnr.size(); ++i) {
      if (!std::isnan(sqnr[i])) {
        CandidateResult candidate;
        candidate.candidate = static_cast<int>(i);
        candidate.pooled = WithSqnr(sqnr[i]);
        candidate.call_sqnr_db = {sqnr[i]};
        layer.candidates.push_back(candidate);
      }
    }
    sensitivity.layers.push_back(layer);
  }
  return sensitivity;
}

Budget BudgetOf(absl::string_view text) { return OrThrow(ParseBudget(text)); }

TEST(ParseBudgetTest, IsDecibelsLayersOrPercent) {
  for (const char* text : {"30", "30dB", "30.0dB"}) {
    EXPECT_EQ(BudgetOf(text).kind, Budget::Kind::kSqnr) << text;
    EXPECT_EQ(BudgetOf(text).amount, 30) << text;
  }
  EXPECT_EQ(BudgetOf("3layers").kind, Budget::Kind::kLayers);
  EXPECT_EQ(BudgetOf("1layer").amount, 1);
  EXPECT_EQ(BudgetOf("12.5%").kind, Budget::Kind::kPercent);
  EXPECT_EQ(BudgetOf("12.5%").amount, 12.5);
}

TEST(ParseBudgetTest, RefusesTheRest) {
  for (const char* text : {"", "dB", "-1", "nan", "inf", "101%", "1.5layers",
                           "30 apples", "layers", "%"}) {
    const std::string message = MessageOf(ParseBudget(text));
    EXPECT_THAT(message, HasSubstr(std::string("'") + text + "'"));
    EXPECT_THAT(message, HasSubstr("30dB"));
  }
}

TEST(PlanQuantizationTest, FirstCandidateThatIsGoodEnough) {
  const QuantizationPlan plan = PlanQuantization(
      Of({{35, 45, 70}, {25, 45, 70}, {10, 20, 70}, {10, 20, 25}}),
      BudgetOf("30dB"));
  EXPECT_EQ(plan.sqnr_db, 30);
  EXPECT_THAT(plan.choices, ElementsAre(0, 1, 2, kFloat));
}

TEST(PlanQuantizationTest, ExactlyTheBudgetIsGoodEnough) {
  EXPECT_THAT(PlanQuantization(Of({{kExact}, {0}}), BudgetOf("0dB")).choices,
              ElementsAre(0, 0));
}

TEST(PlanQuantizationTest, LayersBuyTheBestForTheOthers) {
  const double nan = std::nan("");
  const Sensitivity sensitivity = Of({{20, 25}, {40, 35}, {10, nan}, {30, 50}});
  QuantizationPlan plan = PlanQuantization(sensitivity, BudgetOf("0layers"));
  EXPECT_NEAR(plan.sqnr_db, 10, 1e-9);
  EXPECT_THAT(plan.choices, ElementsAre(0, 0, 0, 0));
  plan = PlanQuantization(sensitivity, BudgetOf("1layers"));
  EXPECT_NEAR(plan.sqnr_db, 25, 1e-9);
  EXPECT_THAT(plan.choices, ElementsAre(1, 0, kFloat, 0));
  plan = PlanQuantization(sensitivity, BudgetOf("2layers"));
  EXPECT_THAT(plan.choices, ElementsAre(kFloat, 0, kFloat, 1));
  plan = PlanQuantization(sensitivity, BudgetOf("9layers"));
  EXPECT_EQ(plan.sqnr_db, kExact);
  EXPECT_THAT(plan.choices, ElementsAre(kFloat, kFloat, kFloat, kFloat));
}

TEST(PlanQuantizationTest, PercentIsRoundedDown) {
  const Sensitivity sensitivity = Of({{20}, {40}, {10}, {30}});
  EXPECT_THAT(PlanQuantization(sensitivity, BudgetOf("49%")).choices,
              ElementsAre(0, 0, kFloat, 0));
  EXPECT_THAT(PlanQuantization(sensitivity, BudgetOf("50%")).choices,
              ElementsAre(kFloat, 0, kFloat, 0));
}

TEST(PlanQuantizationTest, HalfPrecisionIsNoIntegerLayer) {
  // The half precision of the first layer does not count as its best.
  const Sensitivity sensitivity = Of({{10, 20, 70}, {30, 40, 70}});
  const QuantizationPlan plan =
      PlanQuantization(sensitivity, BudgetOf("1layers"));
  EXPECT_NEAR(plan.sqnr_db, 40, 1e-9);
  EXPECT_THAT(plan.choices, ElementsAre(2, 1));
  const SensitivityReport report = {sensitivity, plan};
  EXPECT_TRUE(StaysInFloat(report, 0));
  EXPECT_FALSE(StaysInFloat(report, 1));
  EXPECT_EQ(UseOf(report, 0), "fp16");
}

// Half precision keeps the promise, too, and is preferred.
TEST(PlanQuantizationTest, HalfPrecisionIsForLayersThatMayStayInFloat) {
  Sensitivity sensitivity = Of({{70, 20, 10}, {70, 20, 50}, {70, 20, 30}});
  sensitivity.candidates = {Fp16QConfig(), DynamicQConfig(),
                            Int8PerTensorQConfig()};
  EXPECT_THAT(PlanQuantization(sensitivity, BudgetOf("0layers")).choices,
              ElementsAre(1, 1, 1));
  EXPECT_THAT(PlanQuantization(sensitivity, BudgetOf("1layer")).choices,
              ElementsAre(0, 2, 2));
  EXPECT_THAT(PlanQuantization(sensitivity, BudgetOf("40%")).choices,
              ElementsAre(0, 2, 2));
  // Whoever asks for decibels gets the first that has them.
  EXPECT_THAT(PlanQuantization(sensitivity, BudgetOf("15dB")).choices,
              ElementsAre(0, 0, 0));
  EXPECT_THAT(
      PlanQuantization(sensitivity, {Budget::Kind::kLayers, -1}).choices,
      ElementsAre(1, 1, 1));
}

TEST(PlanQuantizationTest, LayerOfZerosKeepsAnyPromise) {
  Sensitivity sensitivity = Of({{10}});
  sensitivity.layers[0].candidates[0].pooled = PairStatistics{3};
  EXPECT_THAT(PlanQuantization(sensitivity, BudgetOf("90dB")).choices,
              ElementsAre(0));
}

TEST(PlanQuantizationTest, NanOfInfinitiesKeepsNone) {
  Sensitivity sensitivity = Of({{10}, {20}, {30}});
  PairStatistics& masked = sensitivity.layers[0].candidates[0].pooled;
  masked.sum_x2 = std::numeric_limits<double>::infinity();
  masked.sum_e2 = std::nan("");
  sensitivity.layers[1].candidates[0].pooled = PairStatistics();
  EXPECT_THAT(PlanQuantization(sensitivity, BudgetOf("0dB")).choices,
              ElementsAre(kFloat, kFloat, 0));
  // They are none of the layers that the budget is for.
  EXPECT_THAT(PlanQuantization(sensitivity, BudgetOf("0layers")).choices,
              ElementsAre(kFloat, kFloat, 0));
  EXPECT_THAT(PlanQuantization(sensitivity, BudgetOf("100%")).choices,
              ElementsAre(kFloat, kFloat, kFloat));
}

class MeasureSensitivityTest : public testing::Test {
 protected:
  ModelGraph model_ = OrThrow(ModelGraph::FromModule(
      MakeModel({{"fc1", Linear(at::randn({6, 5}))},
                 {"relu", Relu()},
                 {"fc2", Linear(at::randn({4, 6}))}},
                {"return self.fc2.forward(self.relu.forward("
                 "self.fc1.forward(x)))"})));
  const std::vector<Batch> batches_ = {{{at::randn({3, 5})}, {}},
                                       {{at::randn({7, 5})}, {}}};
};

TEST_F(MeasureSensitivityTest, MeasuresEveryLayerAndCandidate) {
  const Sensitivity sensitivity = OrThrow(MeasureSensitivity(model_, batches_));
  EXPECT_EQ(sensitivity.batches, 2);
  EXPECT_EQ(sensitivity.candidates, NamedQConfigs());
  ASSERT_THAT(sensitivity.layers, SizeIs(2));
  for (const ShadowedSubgraph& layer : sensitivity.layers) {
    ASSERT_THAT(layer.candidates, SizeIs(5));
    for (const CandidateResult& candidate : layer.candidates) {
      EXPECT_THAT(candidate.call_sqnr_db, SizeIs(2));
    }
    // Half precision beats int8, and int8 beats int4.
    const auto sqnr = [&](int i) {
      return layer.candidates[i].pooled.SqnrDb();
    };
    EXPECT_GT(sqnr(3), sqnr(2) + 10);
    EXPECT_GT(sqnr(2), sqnr(4) + 5);
  }
}

// Its kernel takes matrices alone.
TEST_F(MeasureSensitivityTest, DynamicCandidatesOfVectorsAreNotTried) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"fc1", Linear(at::randn({5, 5}))}, {"fc2", Linear(at::randn({4, 5}))}},
      {"return self.fc2.forward(torch.select("
       "self.fc1.forward(x), 0, 0))"})));
  SensitivityOptions options;
  options.candidates = {OrThrow(QConfigNamed("dynamic")),
                        OrThrow(QConfigNamed("fp16"))};
  const Sensitivity sensitivity =
      OrThrow(MeasureSensitivity(model, batches_, options));
  ASSERT_THAT(sensitivity.layers, SizeIs(2));
  EXPECT_THAT(sensitivity.layers[0].candidates, SizeIs(2));
  ASSERT_THAT(sensitivity.layers[1].candidates, SizeIs(1));
  EXPECT_EQ(sensitivity.layers[1].candidates[0].candidate, 1);
  ASSERT_THAT(sensitivity.skipped, SizeIs(1));
  EXPECT_EQ(sensitivity.skipped[0].reason,
            "its input is a vector; its kernel takes matrices");
}

TEST_F(MeasureSensitivityTest, ReportsProgressOfBothPasses) {
  std::vector<std::pair<int64_t, int64_t>> progress;
  SensitivityOptions options;
  options.progress = [&](int64_t done, int64_t total) {
    progress.emplace_back(done, total);
  };
  OrThrow(MeasureSensitivity(model_, batches_, options));
  EXPECT_THAT(progress, ElementsAre(std::pair(1, 4), std::pair(2, 4),
                                    std::pair(3, 4), std::pair(4, 4)));
}

TEST_F(MeasureSensitivityTest, NeedsBatchesThatFit) {
  EXPECT_THAT(MessageOf(MeasureSensitivity(model_, {})),
              HasSubstr("at least one"));
  EXPECT_THAT(MessageOf(MeasureSensitivity(
                  model_, {{{at::ones({1}), at::ones({1})}, {}, "i.pt"}})),
              HasSubstr("i.pt"));
}

TEST_F(MeasureSensitivityTest, NeedsValues) {
  EXPECT_THAT(
      MessageOf(MeasureSensitivity(
          model_, {{{at::empty({0, 5})}, {}, "none.pt, batch 0"}})),
      HasSubstr(
          "none.pt, batch 0: neither it nor what follows brings a value"));
}

TEST_F(MeasureSensitivityTest, SaysThatNoValueIsFinite) {
  const at::Tensor x = at::full({3, 5}, std::nan(""));
  EXPECT_THAT(
      MessageOf(MeasureSensitivity(model_, {{{x}, {}, "x.pt, batch 0"}})),
      AllOf(HasSubstr("no finite value reaches a layer"),
            HasSubstr("inputs hold NaN: x.pt, batch 0, argument 'x'")));
}

// Adds up its inputs: a second pass that went on from the first would have
// values that no observer has seen.
TEST_F(MeasureSensitivityTest, BothPassesBeginWithTheStateOfTheModel) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModule(
      "Sum",
      "def forward(self, x: Tensor) -> Tensor:\n"
      "  self.sum.add_(x)\n"
      "  return self.fc.forward(self.sum)\n",
      {{"sum", at::zeros({3, 5})}}, {{"fc", Linear(at::randn({6, 5}))}})));
  const std::vector<Batch> batches(4, {{at::ones({3, 5})}, {}});
  for (int run = 0; run < 2; ++run) {
    const Sensitivity sensitivity = OrThrow(MeasureSensitivity(model, batches));
    ASSERT_FALSE(sensitivity.layers.empty());
    EXPECT_GT(sensitivity.layers.back().candidates[0].pooled.SqnrDb(), 30);
  }
}

TEST_F(MeasureSensitivityTest, LeavesNestedTensorsOut) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor, %mask : Tensor):
  %true : bool = prim::Constant[value=1]()
  %zero : float = prim::Constant[value=0.]()
  %none : NoneType = prim::Constant()
  %n : Tensor = aten::_nested_tensor_from_mask(%x, %mask, %true)
  %r : Tensor = aten::relu(%n)
  %p : Tensor = aten::to_padded_tensor(%r, %zero, %none)
  %y : Tensor = aten::sigmoid(%p)
  return (%y))IR");
  const Sensitivity sensitivity = OrThrow(MeasureSensitivity(
      model, {{{at::randn({2, 3, 4}), at::ones({2, 3}, at::kBool)}, {}}}));
  ASSERT_FALSE(sensitivity.layers.empty());
  EXPECT_EQ(sensitivity.layers.back().name, "sigmoid");
  EXPECT_THAT(sensitivity.never_ran, Contains("relu"));
}

TEST_F(MeasureSensitivityTest, TellsWhichLayersNeverRan) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::hardswish(%x)
      -> (%b)
  return (%y))IR");
  const Sensitivity sensitivity =
      OrThrow(MeasureSensitivity(model, {{{at::randn({3}), false}, {}}}));
  ASSERT_THAT(sensitivity.layers, SizeIs(1));
  EXPECT_EQ(sensitivity.layers[0].name, "hardswish");
  EXPECT_THAT(sensitivity.never_ran, ElementsAre("sigmoid"));
}

}  // namespace
}  // namespace ns
