#include "ns/search/calibrated_values.h"

#include <ATen/ATen.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ns/quantization/accurate/held_back_batches.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/search/search_space.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/runtime/observers/observer.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// Has reuse, a pool, a concatenation and a clamp: observers are shared.
const std::vector<std::string>& Net() {
  static const std::vector<std::string>& net = *new std::vector<std::string>{
      absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
      absl::StrCat("z = torch.hardtanh(", ConvOf("y"), ", 0.0, 6.0)"),
      "c = torch.max_pool2d(torch.cat([y, z], 2), [2, 2])",
      "r = torch.flatten(torch.transpose(c, 1, 3), 1, 2)",
      absl::StrCat("return ", LinearOf("r"))};
  return net;
}

class CalibratedValuesTest : public ::testing::TestWithParam<ObserverKind> {
 protected:
  CalibratedValuesTest() {
    at::manual_seed(2);
    std::vector<at::Tensor> tensors;
    for (int i = 0; i < 3; ++i) {
      tensors.push_back(at::randn({2, 3, 6, 6}) * (i + 1));
    }
    batches_ = BatchesOf(tensors);
    options_.observer = GetParam();
    options_.methods.bias_correction = BiasCorrection::kFast;
    std::vector<SkippedChoice> skipped;
    space_ = std::make_unique<SearchSpace>(OrThrow(SearchSpace::Create(
        model_, options_,
        OrThrow(SearchCandidates(model_, options_, {}, skipped)))));
    values_ = std::make_unique<CalibratedValues>(
        OrThrow(CalibratedValues::Create(*space_)));
    NS_EXPECT_OK(values_->Calibrate(reader()));
  }

  static bool DependsOnOrder() {
    return GetParam() == ObserverKind::kMovingAverageMinMax ||
           GetParam() == ObserverKind::kHistogram;
  }

  BatchReader reader() const { return BatchReader::FromBatches(batches_); }

  ModelGraph model_ = FloatModel(Net());
  std::vector<Batch> batches_;
  QuantizeOptions options_;
  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<CalibratedValues> values_;
};

// Whatever the recipe: its observers have the state that calibration gives.
TEST_P(CalibratedValuesTest, FillsEveryRecipeAsCalibrationDoes) {
  const size_t layers = space_->layers().size();
  ASSERT_GE(layers, 4);
  int filled = 0;
  for (size_t bits = 1; bits < (size_t{1} << layers); ++bits) {
    RecipeChoices choices;
    for (size_t i = 0; i < layers; ++i) {
      choices.push_back((bits >> i) & 1);
    }
    const QuantizeOptions options = space_->OptionsOf(choices);
    ModelGraph ours = OrThrow(PrepareModel(model_, options));
    if (!OrThrow(values_->Fill(*options.mapping, ours))) {
      continue;
    }
    ++filled;
    const ModelGraph theirs = OrThrow(PrepareModel(model_, options));
    NS_ASSERT_OK(CalibrateHoldingBack(theirs, reader()));
    const auto expected = AttachedObservers(theirs.module());
    for (const auto& [name, observer] : AttachedObservers(ours.module())) {
      const ObserverState state = expected.at(name)->State();
      for (const auto& [key, tensor] : observer->State()) {
        EXPECT_TRUE(at::allclose(tensor.to(at::kDouble),
                                 state.at(key).to(at::kDouble), 1e-4, 1e-4))
            << name << " " << key;
      }
      EXPECT_EQ(observer->seen().values, expected.at(name)->seen().values);
      EXPECT_EQ(observer->seen().least_rank,
                expected.at(name)->seen().least_rank);
    }
    const auto means = AttachedMeans(theirs.module());
    for (const auto& [name, ours_means] : AttachedMeans(ours.module())) {
      EXPECT_EQ(ours_means->patches(), means.at(name)->patches());
      EXPECT_TRUE(
          at::allclose(ours_means->Mean(), means.at(name)->Mean(), 1e-4, 1e-4));
    }
  }
  // Where the order counts, observers of several values cannot be joined.
  EXPECT_GE(filled, DependsOnOrder() ? 1 : (1 << layers) - 1);
}

// All layers in int8: those of the concatenation share an observer, whose order
// is that of the run.
TEST_P(CalibratedValuesTest, KnowsWhatSharedObserversSee) {
  const RecipeChoices all(space_->layers().size(), 1);
  const QuantizeOptions options = space_->OptionsOf(all);
  const ObserverPlan plan = space_->PlanOf(all);
  EXPECT_TRUE(values_->Knows(plan));
  for (const PlannedLayer& layer : plan.layers) {
    EXPECT_TRUE(OrThrow(values_->Answer(plan, layer.output)).has_value())
        << layer.name;
  }
  ModelGraph prepared = OrThrow(PrepareModel(model_, options));
  EXPECT_TRUE(OrThrow(values_->Fill(*options.mapping, prepared)));
}

TEST_P(CalibratedValuesTest, KnowsNoOtherGroupsWhereTheOrderCounts) {
  ObserverPlan plan = space_->PlanOf(RecipeChoices(space_->layers().size(), 1));
  for (ObservedPoint& point : plan.points) {
    point.observer = plan.layers.front().output;
  }
  EXPECT_EQ(values_->Knows(plan), !DependsOnOrder());
}

TEST_P(CalibratedValuesTest, CountsTheElementsOfABatch) {
  const FloatSubgraph& conv = space_->subgraphs().front();
  EXPECT_EQ(values_->ElementsOf(conv.output), 2 * 3 * 6 * 6);
  EXPECT_EQ(values_->ElementsOf(nullptr), 0);
}

TEST_P(CalibratedValuesTest, ShiftsBiasesOnlyOfLayersThatThereAre) {
  const at::Tensor weight = at::ones({3, 3, 3, 3});
  EXPECT_FALSE(values_->ShiftOf("none", weight, weight * 1.1).defined());
}

INSTANTIATE_TEST_SUITE_P(Kinds, CalibratedValuesTest,
                         ::testing::Values(ObserverKind::kMse,
                                           ObserverKind::kMinMax,
                                           ObserverKind::kMovingAverageMinMax,
                                           ObserverKind::kHistogram));

}  // namespace
}  // namespace ns
