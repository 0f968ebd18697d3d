#include "ns/suite/comparisons.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SingleResult RecordOf(std::vector<at::Tensor> values) {
  SingleResult record;
  record.values = std::move(values);
  return record;
}

TEST(ComparisonsTest, FiguresFollowTheirFormulas) {
  const at::Tensor x = at::tensor({3.0f, 4.0f});
  const at::Tensor y = at::tensor({3.0f, 3.5f});
  EXPECT_NEAR(OrThrow(ComputeSqnr(x, y)), 20 * std::log10(5 / 0.5), 1e-6);
  EXPECT_NEAR(OrThrow(ComputeNormalizedL2Error(x, y)), 0.1, 1e-9);
  EXPECT_NEAR(OrThrow(ComputeCosineSimilarity(x, y)),
              23 / (5 * std::sqrt(21.25)), 1e-9);
  EXPECT_NEAR(OrThrow(ComputeMaxAbsError(x, y)), 0.5, 1e-9);
}

TEST(ComparisonsTest, AnyMetricComparesByItsName) {
  const at::Tensor x = at::tensor({3.0f, 4.0f});
  const at::Tensor y = at::tensor({3.0f, 5.0f});
  EXPECT_EQ(OrThrow(OrThrow(ComparisonByMetric("mean_error"))(x, y)), 0.5);
  EXPECT_EQ(OrThrow(OrThrow(ComparisonByMetric("bias_share"))(x, y)), 0.5);
  EXPECT_EQ(OrThrow(OrThrow(ComparisonByMetric("max_abs_error"))(x, y)), 1);
  const absl::Status unknown = ComparisonByMetric("psnr").status();
  EXPECT_THAT(std::string(unknown.message()),
              HasSubstr("'psnr'; use one of sqnr_db, normalized_l2"));
}

TEST(ComparisonsTest, EqualTensorsHaveNoError) {
  const at::Tensor x = at::tensor({1.0f, -2.0f});
  EXPECT_EQ(OrThrow(ComputeSqnr(x, x)), INFINITY);
  EXPECT_EQ(OrThrow(ComputeNormalizedL2Error(x, x)), 0);
  EXPECT_EQ(OrThrow(ComputeMaxAbsError(x, x)), 0);
}

// As PyTorch's functions, unlike the figures of a compared layer.
TEST(ComparisonsTest, ZerosGiveWhatPyTorchGives) {
  const at::Tensor x = at::zeros({2});
  EXPECT_TRUE(std::isnan(OrThrow(ComputeSqnr(x, x))));
  EXPECT_TRUE(std::isnan(OrThrow(ComputeNormalizedL2Error(x, x))));
  EXPECT_EQ(OrThrow(ComputeSqnr(x, at::ones({2}))), -INFINITY);
  EXPECT_EQ(OrThrow(ComputeCosineSimilarity(x, x)), 0);
  EXPECT_EQ(OrThrow(ComputeCosineSimilarity(x, at::ones({2}))), 0);
  EXPECT_EQ(OrThrow(ComputeCosineSimilarity(at::ones({2}), x)), 0);
}

TEST(ExtendLoggerResultsWithComparisonTest, ComparesValueByValue) {
  Results results;
  ResultsByModel& models = results["fc"][kNodeOutputResult];
  models["float"] = {RecordOf({at::ones({2}), at::ones({2})})};
  models["int8"] = {RecordOf({at::ones({2}) * 0.9, at::ones({2}) * 0.99})};
  NS_ASSERT_OK(ExtendLoggerResultsWithComparison(results, "float", "int8",
                                                 ComputeSqnr, "sqnr"));
  EXPECT_THAT(models["int8"][0].comparisons.at("sqnr"),
              ElementsAre(DoubleNear(20, 1e-4), DoubleNear(40, 1e-3)));
  EXPECT_TRUE(models["float"][0].comparisons.empty());
}

TEST(ExtendLoggerResultsWithComparisonTest, SkipsLayersOfOneModelOnly) {
  Results results;
  results["fc"][kNodeOutputResult]["int8"] = {RecordOf({at::ones({2})})};
  NS_EXPECT_OK(ExtendLoggerResultsWithComparison(results, "float", "int8",
                                                 ComputeSqnr, "sqnr"));
}

TEST(ExtendLoggerResultsWithComparisonTest, NamesLayerWithDifferentCounts) {
  Results results;
  ResultsByModel& models = results["fc"][kNodeOutputResult];
  models["float"] = {RecordOf({at::ones({2}), at::ones({2})})};
  models["int8"] = {RecordOf({at::ones({2})})};
  const absl::Status status = ExtendLoggerResultsWithComparison(
      results, "float", "int8", ComputeSqnr, "sqnr");
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("layer fc: one model has 2 values and the other 1"));
}

TEST(ExtendLoggerResultsWithComparisonTest, NamesLayerWithDifferentShapes) {
  Results results;
  ResultsByModel& models = results["fc"][kNodeOutputResult];
  models["float"] = {RecordOf({at::ones({2})})};
  models["int8"] = {RecordOf({at::ones({3})})};
  const absl::Status status = ExtendLoggerResultsWithComparison(
      results, "float", "int8", ComputeSqnr, "sqnr");
  EXPECT_THAT(std::string(status.message()), HasSubstr("layer fc: "));
}

TEST(ExtendLoggerResultsWithComparisonTest, NamesLayerThatAComparisonThrowsOf) {
  Results results;
  ResultsByModel& models = results["fc"][kNodeOutputResult];
  models["float"] = {RecordOf({at::ones({2})})};
  models["int8"] = {RecordOf({at::ones({2})})};
  const Comparison throws = [](const at::Tensor&, const at::Tensor&) -> double {
    throw std::runtime_error("no such figure");
  };
  EXPECT_EQ(ExtendLoggerResultsWithComparison(results, "float", "int8", throws,
                                              "own"),
            absl::InvalidArgumentError("layer fc: no such figure"));
}

TEST(ComparisonsTest, OtherShapesAreAnError) {
  const std::vector<Comparison> comparisons = {
      ComputeSqnr, ComputeNormalizedL2Error, ComputeCosineSimilarity,
      ComputeMaxAbsError, OrThrow(ComparisonByMetric("bias_share"))};
  for (const Comparison& comparison : comparisons) {
    EXPECT_EQ(comparison(at::ones({2}), at::ones({3})).status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(comparison(at::ones({2}), at::zeros({2})).ok());
  }
}

}  // namespace
}  // namespace ns
