#include "ns/suite/user_metrics.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/user_figures.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Path() { return TemporaryPath("metric.pt"); }

// What LoadUserMetric makes of a module with this method.
absl::StatusOr<UserMetric> Load(const std::string& method) {
  torch::jit::Module module("Metric");
  module.define(method + "\n");
  module.save(Path());
  return LoadUserMetric("metric", Path());
}

TEST(LoadUserMetricTest, CallsTheModule) {
  for (const char* method :
       {"def forward(self, x, y):\n  return float((x - y).sum())",
        "def forward(self, x, y):\n  return (x - y).sum()",
        "def forward(self, x, y):\n  return int((x - y).sum())",
        "def forward(self, a, b, scale: float=1.0):\n"
        "  return [[(a - b).sum()]][0][0] * scale"}) {
    const absl::StatusOr<UserMetric> metric = Load(method);
    NS_ASSERT_OK(metric.status());
    EXPECT_EQ(metric->name, "metric");
    const absl::StatusOr<double> value =
        metric->value(at::full({2}, 5.0), at::full({2}, 3.0));
    NS_ASSERT_OK(value.status());
    EXPECT_EQ(*value, 4) << method;
  }
}

TEST(LoadUserMetricTest, RefusesOtherSignatures) {
  for (const char* method : {"def forward(self, x):\n  return 1.0",
                             "def forward(self, x, y, z):\n  return 1.0",
                             "def forward(self, x: int, y: int):\n  return 1.0",
                             "def forward(self, x, y):\n  return [1.0]",
                             "def forward(self, x, y):\n  return (1.0, 2.0)",
                             "def measure(self, x, y):\n  return 1.0"}) {
    const absl::StatusOr<UserMetric> metric = Load(method);
    ASSERT_FALSE(metric.ok()) << method;
    EXPECT_THAT(std::string(metric.status().message()),
                AllOf(HasSubstr(Path()),
                      HasSubstr("forward(float: Tensor, quantized: Tensor)")));
  }
}

TEST(LoadUserMetricTest, WhatIsNoNumberIsAnError) {
  const absl::StatusOr<UserMetric> metric =
      Load("def forward(self, x, y):\n  return x - y");
  NS_ASSERT_OK(metric.status());
  EXPECT_THAT(
      std::string(
          metric->value(at::ones({3}), at::ones({3})).status().message()),
      AllOf(HasSubstr(Path()), HasSubstr("3 elements")));
}

UserMetric Sum() {
  return {"sum", [](const at::Tensor& x, const at::Tensor& y) {
            return absl::StatusOr<double>((x + y).sum().item<double>());
          }};
}

TEST(UserFiguresTest, CallsOfABatchAreAveragedBeforeBatchesAre) {
  const std::vector<UserMetric> metrics = {Sum()};
  UserFigures figures("activation of conv", &metrics);
  EXPECT_THAT(figures.Means(), IsEmpty());
  const at::Tensor zero = at::zeros({1});
  figures.See(at::full({1}, 1.0), zero);
  figures.See(at::full({1}, 3.0), zero);
  NS_ASSERT_OK(figures.EndBatch());
  NS_ASSERT_OK(figures.EndBatch());  // of a batch that did not come by
  figures.See(at::full({1}, 10.0), zero);
  NS_ASSERT_OK(figures.EndBatch());
  const std::vector<UserFigure> means = figures.Means();
  ASSERT_THAT(means, SizeIs(1));
  EXPECT_EQ(means[0].metric, "sum");
  EXPECT_EQ(means[0].value, 6);
}

TEST(UserFiguresTest, MetricsGetCopiesInFloat) {
  const std::vector<UserMetric> metrics = {
      {"overwrites",
       [](const at::Tensor& x, const at::Tensor& y) {
         EXPECT_FALSE(y.is_quantized());
         x.zero_();
         y.zero_();
         return absl::StatusOr<double>(0);
       }},
      Sum()};
  UserFigures figures("shadow of fc", &metrics);
  const at::Tensor x = at::full({2}, 0.5);
  const at::Tensor y =
      at::quantize_per_tensor(at::full({2}, 0.25), 0.25, 3, at::kQUInt8);
  figures.See(x, y);
  NS_ASSERT_OK(figures.EndBatch());
  EXPECT_EQ(figures.Means()[1].value, 1.5);
  EXPECT_TRUE(x.eq(0.5).all().item<bool>());
  EXPECT_TRUE(y.dequantize().eq(0.25).all().item<bool>());
}

TEST(UserFiguresTest, TheFirstFailureIsTold) {
  int calls = 0;
  const std::vector<UserMetric> metrics = {
      {"fails", [&](const at::Tensor&, const at::Tensor&) {
         ++calls;
         return absl::StatusOr<double>(absl::InvalidArgumentError("no such"));
       }}};
  UserFigures figures("activation of conv", &metrics);
  figures.See(at::ones({1}), at::ones({1}));
  figures.See(at::ones({1}), at::ones({1}));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(figures.EndBatch().message(),
            "metric 'fails' at the activation of conv: no such");
}

TEST(NanWarningsTest, AreALineForEachMetric) {
  ActivationComparison good, bad;
  good.user_figures = {{"a", 1}, {"b", 2}};
  bad.user_figures = {{"a", NAN}, {"b", 2}};
  EXPECT_THAT(NanWarnings({{"activation of x", &good}}), IsEmpty());
  EXPECT_THAT(NanWarnings({{"activation of x", &good},
                           {"shadow of x", &bad},
                           {"shadow of y", &bad}}),
              ElementsAre("metric 'a' is nan at 2 places, the first is the "
                          "shadow of x"));
}

}  // namespace
}  // namespace ns
