#include "passes/runtime/observers/reconfigured_observer.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer_names.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// Two batches with outliers.
std::vector<at::Tensor> Batches() {
  at::manual_seed(8);
  at::Tensor first = at::randn({1000});
  first[3] = 40;
  return {first, at::randn({500}) * 2 - 1};
}

ObserverPtr Calibrated(const ObserverConfig& config) {
  ObserverPtr observer = OrThrow(MakeObserver(config));
  for (const at::Tensor& batch : Batches()) {
    observer->Forward(batch);
  }
  return observer;
}

using Kinds = std::tuple<ObserverKind, ObserverKind>;

class ReconfiguredObserverTest : public ::testing::TestWithParam<Kinds> {};

// As if the other observer had seen the batches itself.
TEST_P(ReconfiguredObserverTest, HasSeenTheSame) {
  const auto [from, to] = GetParam();
  ASSERT_TRUE(CanReconfigure(from, to));
  ObserverConfig config = DefaultConfig(to);
  config.reduce_range = true;
  const ObserverPtr original = Calibrated(DefaultConfig(from));
  const ObserverPtr made = OrThrow(Reconfigured(*original, config));
  const ObserverPtr expected = Calibrated(config);
  EXPECT_EQ(made->config().kind, to);
  const TensorQParams found = made->CalculateQParams();
  const TensorQParams wanted = expected->CalculateQParams();
  EXPECT_TRUE(found.scale.equal(wanted.scale)) << found.scale << wanted.scale;
  EXPECT_TRUE(found.zero_point.equal(wanted.zero_point));
  EXPECT_EQ(made->seen().values, 1500);
  EXPECT_EQ(made->seen().least_rank, 1);
  // With half the integers, the scale is another one.
  EXPECT_FALSE(original->CalculateQParams().scale.equal(found.scale));
}

TEST_P(ReconfiguredObserverTest, OfNothingHasSeenNothing) {
  const auto [from, to] = GetParam();
  const ObserverPtr made = OrThrow(Reconfigured(
      *OrThrow(MakeObserver(DefaultConfig(from))), DefaultConfig(to)));
  EXPECT_EQ(made->seen().least_rank, -1);
  EXPECT_EQ(made->CalculateQParams().scale.item<float>(), 1);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ReconfiguredObserverTest,
    ::testing::Values(Kinds(ObserverKind::kMse, ObserverKind::kMse),
                      Kinds(ObserverKind::kMse, ObserverKind::kMinMax),
                      Kinds(ObserverKind::kMse, ObserverKind::kPercentile),
                      Kinds(ObserverKind::kPercentile, ObserverKind::kMse),
                      Kinds(ObserverKind::kPercentile, ObserverKind::kEntropy),
                      Kinds(ObserverKind::kEntropy, ObserverKind::kMinMax),
                      Kinds(ObserverKind::kMinMax, ObserverKind::kMinMax),
                      Kinds(ObserverKind::kHistogram, ObserverKind::kHistogram),
                      Kinds(ObserverKind::kMovingAverageMinMax,
                            ObserverKind::kMovingAverageMinMax)),
    [](const auto& info) {
      std::string name =
          absl::StrCat(ObserverKindName(std::get<0>(info.param)), "_to_",
                       ObserverKindName(std::get<1>(info.param)));
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// To compat ranges, they are values.
TEST(ReconfiguredObserverNonFiniteTest, CompatRangesHoldNanAndInf) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto seen = [](ObserverKind kind, const std::vector<float>& values) {
    ObserverConfig config = DefaultConfig(kind);
    config.compat = true;
    ObserverPtr observer = OrThrow(MakeObserver(config));
    observer->Forward(at::tensor(values));
    return observer;
  };
  for (const ObserverKind kind : {ObserverKind::kMse, ObserverKind::kPercentile,
                                  ObserverKind::kEntropy}) {
    for (const std::vector<float>& values : std::vector<std::vector<float>>{
             {1, kInf, 2}, {-kInf, 3}, {-kInf}, {1, 2}}) {
      const ObserverPtr expected = seen(ObserverKind::kMinMax, values);
      const ObserverState made =
          OrThrow(Reconfigured(*seen(kind, values), expected->config()))
              ->State();
      for (const auto& [name, tensor] : expected->State()) {
        EXPECT_TRUE(tensor.equal(made.at(name))) << name;
      }
    }
    const ObserverPtr observer = seen(kind, {1, kNan, 2});
    EXPECT_THROW(
        OrThrow(
            Reconfigured(*observer, seen(ObserverKind::kMinMax, {1})->config()))
            ->CalculateQParams(),
        c10::Error);
  }
}

TEST(ReconfiguredObserverErrorsTest, WhatWasNotKeptCannotBeHad) {
  const ObserverPtr range = Calibrated(DefaultConfig(ObserverKind::kMinMax));
  EXPECT_THAT(
      Reconfigured(*range, DefaultConfig(ObserverKind::kMse))
          .status()
          .message(),
      HasSubstr("an observer 'minmax' has seen does not tell what 'mse'"));
  const ObserverPtr mse = Calibrated(DefaultConfig(ObserverKind::kMse));
  ObserverConfig other = DefaultConfig(ObserverKind::kMse);
  other.dtype = at::kQInt8;
  EXPECT_FALSE(Reconfigured(*mse, other).ok());
  other = DefaultConfig(ObserverKind::kMse);
  other.quant_min = 5;
  other.quant_max = 3;
  EXPECT_FALSE(Reconfigured(*mse, other).ok());
}

}  // namespace
}  // namespace ns
