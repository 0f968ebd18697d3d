#include "ns/search/searched_layers.h"

#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/layer_times.h"
#include "ns/search/noise_model.h"
#include "ns/search/search_candidates.h"
#include "ns/search/search_result.h"
#include "ns/search/search_space.h"
#include "passes/quantization/observe/observer_plan.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

// A convolution, a pool without a choice, a convolution, and a sum.
class SearchedLayersTest : public ::testing::Test {
 protected:
  SearchedLayersTest()
      : model_(FloatModel(
            {absl::StrCat("y = torch.max_pool2d(", ConvOf("x"), ", [2, 2])"),
             absl::StrCat("z = ", ConvOf("y")), "return torch.erf(z) + y"})) {
    const std::vector<Batch> batches = BatchesOf({at::randn({4, 3, 8, 8})});
    std::vector<SkippedChoice> skipped;
    space_ = std::make_unique<SearchSpace>(OrThrow(SearchSpace::Create(
        model_, {}, OrThrow(SearchCandidates(model_, {}, {}, skipped)))));
    values_ = std::make_unique<CalibratedValues>(
        OrThrow(CalibratedValues::Create(*space_)));
    NS_EXPECT_OK(values_->Calibrate(BatchReader::FromBatches(batches)));
    noise_ = std::make_unique<NoiseModel>(
        OrThrow(NoiseModel::Create(*space_, *values_)));
    NS_EXPECT_OK(noise_->Run(batches[0], 0).status());
    // Layers with a choice take 10, 20 and 30 us in float, and 1, 2 and 3 us in
    // int8; each of the others takes 1000 us.
    times_.in_float.assign(space_->subgraphs().size(), 1000);
    times_.in_int8.assign(1, times_.in_float);
    for (size_t i = 0; i < space_->layers().size(); ++i) {
      const size_t subgraph = space_->layers()[i].subgraph;
      times_.in_float[subgraph] = 10 * static_cast<double>(i + 1);
      times_.in_int8[0][subgraph] = static_cast<double>(i + 1);
    }
  }

  SearchedLayers Describe(const RecipeChoices& choices) const {
    return DescribeLayers(*space_, times_, *noise_, choices,
                          /*recipe_us=*/3000);
  }

  ModelGraph model_;
  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<CalibratedValues> values_;
  std::unique_ptr<NoiseModel> noise_;
  LayerTimes times_;
};

TEST_F(SearchedLayersTest, EachLayerWithAChoiceTellsWhatItTakes) {
  const SearchedLayers searched = Describe({0, 1, 1});
  ASSERT_THAT(searched.layers, SizeIs(3));
  EXPECT_EQ(searched.layers[0].name, "conv2d");
  EXPECT_EQ(searched.layers[0].op, "aten::conv2d");
  EXPECT_EQ(searched.layers[0].choice, "float");
  EXPECT_EQ(searched.layers[0].time_us, 10);
  EXPECT_THAT(searched.layers[0].times_us,
              ElementsAre(Pair("float", 10), Pair("default", 1)));
  EXPECT_EQ(searched.layers[1].name, "conv2d@1");
  EXPECT_EQ(searched.layers[1].choice, "default");
  EXPECT_EQ(searched.layers[1].time_us, 2);
  EXPECT_EQ(searched.layers[2].op, "aten::add");
  EXPECT_EQ(searched.layers[2].time_us, 3);
  EXPECT_THAT(searched.layers[2].times_us,
              ElementsAre(Pair("float", 30), Pair("default", 3)));
  EXPECT_EQ(searched.rest.time_us, 3000 - 10 - 2 - 3);
}

TEST_F(SearchedLayersTest, SharesOfNoiseAddUpToOne) {
  const SearchedLayers searched = Describe({1, 1, 1});
  double sum = searched.rest.noise_share;
  for (const SearchedLayer& layer : searched.layers) {
    EXPECT_GT(layer.noise_share, 0) << layer.name;
    sum += layer.noise_share;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  // The pool rounds nothing.
  EXPECT_NEAR(searched.rest.noise_share, 0, 1e-12);
}

TEST_F(SearchedLayersTest, SharesAreThoseOfEachLayerByItself) {
  const RecipeChoices choices = {1, 1, 1};
  const SearchedLayers searched = Describe(choices);
  const ObserverPlan plan = space_->PlanOf(choices);
  const auto noise_of = [&](const std::string& name) {
    for (size_t i = 0; i < plan.layers.size(); ++i) {
      if (plan.layers[i].name == name) {
        return noise_->NoiseOfLayer(plan, i);
      }
    }
    return 0.0;
  };
  for (const SearchedLayer& layer : searched.layers) {
    EXPECT_NEAR(layer.noise_share * noise_of("conv2d"),
                searched.layers[0].noise_share * noise_of(layer.name), 1e-12)
        << layer.name;
  }
}

TEST_F(SearchedLayersTest, FloatLayersMakeNoNoise) {
  const SearchedLayers mixed = Describe({0, 1, 0});
  EXPECT_EQ(mixed.layers[0].noise_share, 0);
  EXPECT_NEAR(mixed.layers[1].noise_share, 1, 1e-12);
  EXPECT_EQ(mixed.layers[2].noise_share, 0);
}

// There is no noise to share: no share is 0 / 0, and none is left for the rest.
TEST_F(SearchedLayersTest, RecipesWithoutNoiseHaveNoShares) {
  const SearchedLayers searched = Describe({0, 0, 0});
  for (const SearchedLayer& layer : searched.layers) {
    EXPECT_EQ(layer.noise_share, 0) << layer.name;
    EXPECT_EQ(layer.choice, "float");
  }
  EXPECT_EQ(searched.rest.noise_share, 0);
  EXPECT_EQ(searched.rest.time_us, 3000 - 10 - 20 - 30);
}

}  // namespace
}  // namespace ns
