#include "ns/search/layer_times.h"

#include <ATen/ATen.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/search_space.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

class LayerTimesTest : public ::testing::Test {
 protected:
  void Measure(const std::vector<std::string>& body, const at::Tensor& x) {
    model_ = std::make_unique<ModelGraph>(FloatModel(body));
    const std::vector<Batch> batches = BatchesOf({x});
    std::vector<SkippedChoice> skipped;
    space_ = std::make_unique<SearchSpace>(OrThrow(SearchSpace::Create(
        *model_, {}, OrThrow(SearchCandidates(*model_, {}, {}, skipped)))));
    values_ = std::make_unique<CalibratedValues>(
        OrThrow(CalibratedValues::Create(*space_)));
    NS_ASSERT_OK(values_->Calibrate(BatchReader::FromBatches(batches)));
    times_ = OrThrow(MeasureLayerTimes(*space_, *values_, batches[0]));
  }

  double TimeOf(const RecipeChoices& choices) const {
    return TimeOfRecipe(*space_, *values_, times_, choices,
                        space_->PlanOf(choices));
  }

  std::unique_ptr<ModelGraph> model_;
  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<CalibratedValues> values_;
  LayerTimes times_;
};

TEST_F(LayerTimesTest, TimesEachLayerByItself) {
  // The second layer has a quarter of the work of the first.
  Measure({absl::StrCat("y = ", ConvOf("x")),
           absl::StrCat("y = torch.erf(", ConvOf("y[:, :, ::2, ::2]"), ")"),
           "return y"},
          at::randn({4, 3, 96, 96}));
  ASSERT_EQ(times_.in_float.size(), space_->subgraphs().size());
  ASSERT_EQ(times_.in_int8.size(), 1);
  EXPECT_GT(TimeOfLayer(*space_, times_, 0, 0),
            1.5 * TimeOfLayer(*space_, times_, 1, 0));
  EXPECT_GT(TimeOfLayer(*space_, times_, 0, 1),
            1.5 * TimeOfLayer(*space_, times_, 1, 1));
  EXPECT_GT(times_.quantize, 0);
  EXPECT_GT(times_.dequantize, 0);
  // Less than 100 ns for an element.
  EXPECT_LT(times_.quantize, 0.1);
}

// In int8, the convolution computes the clamp, too.
TEST_F(LayerTimesTest, LayersThatOthersComputeTakeNoTime) {
  Measure({absl::StrCat("return torch.hardtanh(", ConvOf("x"), ", 0., 0.5)")},
          at::randn({2, 3, 32, 32}));
  ASSERT_EQ(times_.in_int8[0].size(), 2);
  EXPECT_GT(times_.in_float[1], 0);
  EXPECT_GT(times_.in_int8[0][0], 0);
  EXPECT_EQ(times_.in_int8[0][1], 0);
}

TEST_F(LayerTimesTest, CastsCostWhereFloatAndInt8Meet) {
  Measure({absl::StrCat("y = ", ConvOf("x")), absl::StrCat("z = ", ConvOf("y")),
           absl::StrCat("return ", ConvOf("z"))},
          at::randn({2, 3, 32, 32}));
  const double elements = 2 * 3 * 32 * 32;
  const auto layers = [&](const RecipeChoices& choices) {
    double time = times_.other;
    for (size_t i = 0; i < choices.size(); ++i) {
      time += TimeOfLayer(*space_, times_, i, choices[i]);
    }
    return time;
  };
  const double both = elements * (times_.quantize + times_.dequantize);
  EXPECT_NEAR(TimeOf({0, 0, 0}), layers({0, 0, 0}), 1e-6);
  EXPECT_NEAR(TimeOf({1, 1, 1}), layers({1, 1, 1}) + both, 1e-6);
  EXPECT_NEAR(TimeOf({0, 1, 0}), layers({0, 1, 0}) + both, 1e-6);
  EXPECT_NEAR(TimeOf({1, 0, 1}), layers({1, 0, 1}) + 2 * both, 1e-6);
}

// What float ops take of a list is dequantized, too.
TEST_F(LayerTimesTest, CastsCostBehindLists) {
  Measure({absl::StrCat("a, b = torch.chunk(", ConvOf("x"), ", 2)"),
           "return torch.erf(a), torch.erf(b)"},
          at::randn({2, 3, 8, 8}));
  ASSERT_EQ(space_->layers().size(), 1);
  const double elements = 2 * 3 * 8 * 8;
  double others = times_.other;
  for (size_t i = 1; i < times_.in_float.size(); ++i) {
    others += times_.in_float[i];
  }
  EXPECT_NEAR(TimeOf({1}),
              others + TimeOfLayer(*space_, times_, 0, 1) +
                  elements * (times_.quantize + times_.dequantize),
              1e-6);
}

TEST_F(LayerTimesTest, WholeModelsAreTimedInTurns) {
  ModelGraph small = FloatModel({"return torch.relu(x)"});
  ModelGraph large =
      FloatModel({"for i in range(50):", "  x = torch.erf(x)", "return x"});
  Batch batch;
  batch.arguments = {at::randn({10000})};
  const std::vector<double> least =
      OrThrow(TimeModels({&small, &large}, batch));
  EXPECT_GT(least[0], 0);
  EXPECT_GT(least[1], 5 * least[0]);
}

TEST_F(LayerTimesTest, RunsDoNotAddUpInTheState) {
  ModelGraph model = FloatModel({"self.gamma.add_(1.0)", "return self.gamma"});
  ModelGraph fresh = OrThrow(model.Clone());
  const at::Tensor x = at::zeros({3});
  Batch batch;
  batch.arguments = {x};
  NS_ASSERT_OK(TimeModels({&model}, batch).status());
  EXPECT_TRUE(Output(model, x).equal(Output(fresh, x)));
}

}  // namespace
}  // namespace ns
