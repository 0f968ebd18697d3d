#include "ns/suite/user_figures.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

UserMetric Largest() {
  return {"largest", [](const at::Tensor& x, const at::Tensor& y) {
            return (x - y).abs().max().item<double>();
          }};
}

TEST(UserFiguresTest, CallsAreAveragedWithinTheirBatch) {
  const std::vector<UserMetric> metrics = {Largest()};
  UserFigures figures("activation of fc", &metrics);
  const at::Tensor zero = at::zeros({2});
  figures.See(zero, at::ones({2}));
  figures.See(zero, at::full({2}, 3));
  NS_ASSERT_OK(figures.EndBatch());
  figures.See(zero, at::full({2}, 8));
  NS_ASSERT_OK(figures.EndBatch());
  // A batch that did not come by does not count.
  NS_ASSERT_OK(figures.EndBatch());
  ASSERT_THAT(figures.Means(), SizeIs(1));
  EXPECT_EQ(figures.Means()[0].metric, "largest");
  EXPECT_EQ(figures.Means()[0].value, (2.0 + 8.0) / 2);
}

TEST(UserFiguresTest, WithoutABatchThereAreNoMeans) {
  const std::vector<UserMetric> metrics = {Largest()};
  UserFigures figures("activation of fc", &metrics);
  NS_ASSERT_OK(figures.EndBatch());
  EXPECT_THAT(figures.Means(), IsEmpty());
}

TEST(UserFiguresTest, QuantizedValuesAreDequantizedAndNothingIsOverwritten) {
  const std::vector<UserMetric> metrics = {
      {"writes", [](const at::Tensor& x, const at::Tensor& y) {
         EXPECT_FALSE(y.is_quantized());
         x.zero_();
         return y.sum().item<double>();
       }}};
  UserFigures figures("activation of fc", &metrics);
  const at::Tensor x = at::ones({4});
  figures.See(x, at::quantize_per_tensor(x, 0.5, 0, at::kQUInt8));
  NS_ASSERT_OK(figures.EndBatch());
  EXPECT_EQ(figures.Means()[0].value, 4);
  EXPECT_TRUE(x.equal(at::ones({4})));
}

TEST(UserFiguresTest, TheFirstMetricThatFailsIsNamedWithItsPlace) {
  const std::vector<UserMetric> metrics = {
      Largest(), {"fails", [](const at::Tensor&, const at::Tensor&) -> double {
                    TORCH_CHECK(false, "only images");
                  }}};
  UserFigures figures("shadow of conv1", &metrics);
  figures.See(at::ones({1}), at::ones({1}));
  figures.See(at::ones({1}), at::ones({1}));
  const absl::Status status = figures.EndBatch();
  EXPECT_EQ(std::string(status.message()),
            "metric 'fails' at the shadow of conv1: it fails: only images");
}

TEST(NanWarningsTest, HaveALineForEachMetric) {
  ActivationComparison some;
  some.user_figures = {{"a", NAN}, {"b", 1}, {"c", NAN}};
  ActivationComparison more;
  more.user_figures = {{"a", NAN}, {"b", 2}, {"c", 3}};
  EXPECT_THAT(
      NanWarnings({{"activation of fc", &some}, {"shadow of fc", &more}}),
      ElementsAre(
          "metric 'a' is nan at 2 places, the first is the activation of fc",
          "metric 'c' is nan at 1 place, the activation of fc"));
}

}  // namespace
}  // namespace ns
