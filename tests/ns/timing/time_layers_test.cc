#include "ns/timing/time_layers.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/suite/compare_models.h"
#include "tests/testing/float_model.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

Batch BatchOf(at::Tensor x) {
  Batch batch;
  batch.arguments = {std::move(x)};
  return batch;
}

// Times `model` against itself.
ComparisonResult Timed(const ModelGraph& model, const Batch& batch) {
  const ModelGraph other = OrThrow(model.Clone());
  const MatchResult matches = OrThrow(MatchSubgraphs(model, other));
  ComparisonResult result = OrThrow(DescribeMatches(model, other, {}));
  NS_EXPECT_OK(TimeLayers(model, other, matches, batch, result));
  return result;
}

TEST(TimeLayersTest, LayersAndOpsBetweenThemAddUpToTheModel) {
  const ComparisonResult result =
      Timed(FloatModel({absl::StrCat("y = ", ConvOf("x")),
                        "y = torch.relu(y).flatten(1)", "return y"}),
            BatchOf(at::randn({2, 3, 16, 16})));
  ASSERT_TRUE(result.times.has_value());
  double of_float = 0;
  double of_quantized = 0;
  double shares = 0;
  for (const LayerComparison& layer : result.layers) {
    ASSERT_TRUE(layer.time.has_value());
    EXPECT_GT(layer.time->float_us, 0);
    of_float += layer.time->float_us;
    of_quantized += layer.time->quantized_us;
    shares += layer.time->share;
  }
  for (const OpTime& op : result.times->between_layers) {
    (op.model == "float" ? of_float : of_quantized) += op.us;
  }
  EXPECT_NEAR(of_float, result.times->float_us, 1e-6 * of_float);
  EXPECT_NEAR(of_quantized, result.times->quantized_us, 1e-6 * of_quantized);
  EXPECT_GT(shares, 0);
  EXPECT_LE(shares, 1 + 1e-9);
  EXPECT_EQ(result.times->samples, 2);
  EXPECT_GE(result.times->runs, 3);
  EXPECT_GE(result.times->threads, 1);
}

TEST(TimeLayersTest, MoreWorkTakesMoreTime) {
  const ComparisonResult result = Timed(
      FloatModel(
          {absl::StrCat("y = ", ConvOf("x")),
           absl::StrCat("y = torch.erf(", ConvOf("y[:, :, ::4, ::4]"), ")"),
           "return y"}),
      BatchOf(at::randn({4, 3, 96, 96})));
  ASSERT_GE(result.layers.size(), 2);
  EXPECT_GT(result.layers[0].time->float_us,
            1.5 * result.layers[1].time->float_us);
}

TEST(TimeLayersTest, ALoopCountsAllTrips) {
  const ModelGraph model = FloatModel(
      {"for i in range(trips):", absl::StrCat("    x = ", ConvOf("x")),
       "return x"},
      "x: Tensor, trips: int");
  const auto time_of = [&](int64_t trips) {
    Batch batch = BatchOf(at::randn({2, 3, 48, 48}));
    batch.arguments.emplace_back(trips);
    return Timed(model, batch).layers.at(0).time->float_us;
  };
  EXPECT_GT(time_of(12), 3 * time_of(1));
}

TEST(TimeLayersTest, ABatchThatDoesNotFitIsAnError) {
  const ModelGraph model =
      FloatModel({absl::StrCat("y = ", ConvOf("x")), "return y"});
  const ModelGraph other = OrThrow(model.Clone());
  const MatchResult matches = OrThrow(MatchSubgraphs(model, other));
  ComparisonResult result = OrThrow(DescribeMatches(model, other, {}));
  const absl::Status status =
      TimeLayers(model, other, matches, BatchOf(at::randn({5})), result);
  EXPECT_THAT(std::string(status.message()), HasSubstr("float model"));
  EXPECT_FALSE(result.times.has_value());
}

}  // namespace
}  // namespace ns
