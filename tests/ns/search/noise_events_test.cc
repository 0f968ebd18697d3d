#include "ns/search/noise_events.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class NoiseEventsTest : public ::testing::Test {
 protected:
  NoiseEventsTest() { at::manual_seed(3); }

  void Find(const std::vector<std::string>& body,
            const std::vector<std::string>& candidates) {
    const ModelGraph model = FloatModel(body);
    QuantizeOptions options;
    options.target = QuantizationTarget::kExact;
    std::vector<SkippedChoice> skipped;
    space_ = std::make_unique<SearchSpace>(OrThrow(SearchSpace::Create(
        model, options,
        OrThrow(SearchCandidates(model, options, candidates, skipped)))));
    values_ = std::make_unique<CalibratedValues>(
        OrThrow(CalibratedValues::Create(*space_)));
    NS_ASSERT_OK(values_->Calibrate(
        BatchReader::FromBatches(BatchesOf({at::randn({2, 3, 6, 6})}))));
    events_ = std::make_unique<NoiseEvents>(
        OrThrow(NoiseEvents::Find(*space_, *values_)));
  }

  // Those of the layer called `name` in the recipe `choices`.
  std::vector<int> OfLayer(const RecipeChoices& choices,
                           const std::string& name) const {
    const ObserverPlan plan = space_->PlanOf(choices);
    for (const PlannedLayer& layer : plan.layers) {
      if (layer.name == name) {
        return events_->OfLayer(plan, layer);
      }
    }
    return {};
  }

  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<CalibratedValues> values_;
  std::unique_ptr<NoiseEvents> events_;
};

// The first rounds its input and itself at once, the second itself, and as the
// first in int8 its input, too.
TEST_F(NoiseEventsTest, LayersHaveTwoNumbersAndEdgesOne) {
  Find({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
        absl::StrCat("return ", ConvOf("y"))},
       {});
  EXPECT_EQ(events_->count(), 2 * 2 + 2);
  EXPECT_THAT(events_->edges(), SizeIs(2));
  const LayerNoiseEvent& first = events_->layers().at("conv2d").front();
  const LayerNoiseEvent& second = events_->layers().at("conv2d@1").front();
  EXPECT_EQ(OfLayer({1, 1}, "conv2d"), std::vector<int>{first.alone_number});
  EXPECT_EQ(OfLayer({1, 1}, "conv2d@1"), std::vector<int>{second.number});
  EXPECT_EQ(OfLayer({0, 1}, "conv2d@1"), std::vector<int>{second.alone_number});
  EXPECT_THAT(events_->Of(space_->PlanOf({0, 0})), IsEmpty());
  EXPECT_THAT(events_->Of(space_->PlanOf({1, 1})), SizeIs(2));
}

// The concatenation gives both values the scale of the first one's candidate:
// that of the second, as its own candidate rounds its weight, has an event.
TEST_F(NoiseEventsTest, ValuesWithTheScaleOfAnotherCandidateHaveEvents) {
  Find({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
        absl::StrCat("z = torch.relu(", ConvOf("x"), ")"),
        "return torch.cat([y, z], 2)"},
       {"fbgemm", "int8-per-tensor"});
  ASSERT_EQ(space_->layers().size(), 3);
  const std::vector<int> mixed = OfLayer({1, 2, 1}, "conv2d@1");
  ASSERT_THAT(mixed, SizeIs(1));
  EXPECT_NE(mixed, OfLayer({2, 2, 2}, "conv2d@1"));
  EXPECT_NE(mixed, OfLayer({1, 1, 1}, "conv2d@1"));
  for (int first = 1; first <= 2; ++first) {
    for (int second = 1; second <= 2; ++second) {
      for (int cat = 0; cat <= 2; ++cat) {
        EXPECT_THAT(OfLayer({first, second, cat}, "conv2d"), SizeIs(1));
        EXPECT_THAT(OfLayer({first, second, cat}, "conv2d@1"), SizeIs(1));
      }
    }
  }
}

TEST_F(NoiseEventsTest, WhatMovesRoundedValuesHasNone) {
  Find({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
        "return torch.max_pool2d(y, [2, 2])"},
       {});
  EXPECT_THAT(OfLayer({1}, "max_pool2d"), IsEmpty());
  EXPECT_THAT(OfLayer({1}, "conv2d"), SizeIs(1));
}

TEST_F(NoiseEventsTest, ClampsTakeRoundedValues) {
  Find(
      {absl::StrCat("y = ", ConvOf("x")), "return torch.hardtanh(y, 0.0, 6.0)"},
      {});
  int clamps = 0;
  for (const FloatSubgraph& subgraph : space_->subgraphs()) {
    clamps += IsNoiselessClamp(subgraph) ? 1 : 0;
  }
  EXPECT_EQ(clamps, 1);
  EXPECT_FALSE(IsNoiselessClamp(space_->subgraphs().front()));
}

}  // namespace
}  // namespace ns
