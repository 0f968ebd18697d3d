#include "ns/accuracy/agreement_counts.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "ir/base/byte_stream.h"

namespace ns {
namespace {

constexpr double kTolerance = 1e-9;

// Scores of seven classes, of which `classes` are the greatest in order.
at::Tensor Ranking(const std::vector<int64_t>& classes) {
  at::Tensor scores = at::zeros({1, 7});
  for (size_t i = 0; i < classes.size(); ++i) {
    scores[0][classes[i]] = 7 - static_cast<double>(i);
  }
  return scores;
}

TEST(AgreementCountsTest, CountsTop1AndTop5OverBatches) {
  AgreementCounts counts;
  counts.Add(Ranking({0}), Ranking({0}));
  counts.Add(at::cat({Ranking({5}), Ranking({6})}),
             at::cat({Ranking({0, 1, 2, 3, 5}), Ranking({0, 1, 2, 3, 4, 6})}));
  const std::optional<ClassAgreement> result = counts.Result();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->samples, 3);
  EXPECT_EQ(result->classes, 7);
  EXPECT_EQ(result->flipped, 2);
  EXPECT_NEAR(result->top1, 1 / 3.0, kTolerance);
  ASSERT_TRUE(result->top5.has_value());
  EXPECT_NEAR(*result->top5, 2 / 3.0, kTolerance);
}

TEST(AgreementCountsTest, FiveClassesHaveNoTop5) {
  AgreementCounts counts;
  counts.Add(at::rand({2, 5}), at::rand({2, 5}));
  EXPECT_FALSE(counts.Result()->top5.has_value());
}

TEST(AgreementCountsTest, ConfidenceIsTheGreatestProbability) {
  AgreementCounts counts;
  // Softmax of (log 3, 0) is (0.75, 0.25).
  counts.Add(at::tensor({std::log(3.0), 0.0}).reshape({1, 2}),
             at::zeros({1, 2}, at::kDouble));
  const std::optional<ClassAgreement> result = counts.Result();
  EXPECT_NEAR(result->float_confidence, 0.75, kTolerance);
  EXPECT_NEAR(result->quantized_confidence, 0.5, kTolerance);
  EXPECT_NEAR(result->confidence_drift, -0.25, kTolerance);
}

// A model that ends in softmax; what is quantized need not have a sum of 1.
TEST(AgreementCountsTest, ProbabilitiesAreTakenAsTheyAre) {
  AgreementCounts counts;
  counts.Add(at::tensor({0.9, 0.1}).reshape({1, 2}),
             at::tensor({0.8, 0.25}).reshape({1, 2}));
  const std::optional<ClassAgreement> result = counts.Result();
  EXPECT_NEAR(result->float_confidence, 0.9, kTolerance);
  EXPECT_NEAR(result->quantized_confidence, 0.8, kTolerance);
}

TEST(AgreementCountsTest, NanIsNoClassAndNoConfidence) {
  AgreementCounts counts;
  at::Tensor scores = at::ones({1, 6});
  scores[0][3] = std::numeric_limits<float>::quiet_NaN();
  counts.Add(at::ones({1, 6}), scores);
  counts.Add(scores, scores);
  const std::optional<ClassAgreement> result = counts.Result();
  EXPECT_EQ(result->flipped, 1);
  EXPECT_EQ(result->top5, 0.5);
  EXPECT_TRUE(std::isnan(result->confidence_drift));
}

TEST(AgreementCountsTest, OtherOutputsHaveNoAgreement) {
  for (const at::Tensor& other :
       {at::rand({2, 3, 4}), at::rand({2, 1}), at::rand({4}),
        at::zeros({2, 3}, at::kLong)}) {
    AgreementCounts counts;
    counts.Add(at::rand({2, 3}), at::rand({2, 3}));
    EXPECT_TRUE(counts.Result().has_value());
    counts.Add(other, other);
    EXPECT_FALSE(counts.Result().has_value());
  }
  AgreementCounts counts;
  counts.Add(at::rand({2, 3}), at::rand({2, 3}));
  counts.Add(at::rand({2, 4}), at::rand({2, 4}));
  EXPECT_FALSE(counts.Result().has_value());
}

TEST(AgreementCountsTest, NoSamplesHaveNoAgreement) {
  AgreementCounts counts;
  EXPECT_FALSE(counts.Result().has_value());
  counts.Add(at::zeros({0, 3}), at::zeros({0, 3}));
  EXPECT_FALSE(counts.Result().has_value());
}

TEST(AgreementCountsTest, SplitOfBatchesDoesNotMatter) {
  std::vector<at::Tensor> x;
  std::vector<at::Tensor> y;
  AgreementCounts whole;
  for (int i = 0; i < 9; ++i) {
    x.push_back(at::randn({3, 7}) * (i + 1));
    y.push_back(x.back() + at::randn({3, 7}));
    whole.Add(x.back(), y.back());
  }
  for (int parts = 1; parts <= 4; ++parts) {
    AgreementCounts merged;
    for (int part = parts - 1; part >= 0; --part) {
      AgreementCounts counts;
      for (size_t i = part; i < x.size(); i += parts) {
        counts.Add(x[i], y[i]);
      }
      ByteWriter writer;
      counts.Save(writer);
      ByteReader reader(writer.bytes());
      merged.Merge(reader);
      EXPECT_TRUE(reader.AtEnd());
    }
    EXPECT_EQ(merged.Result()->samples, 27);
    EXPECT_EQ(merged.Result()->flipped, whole.Result()->flipped);
    EXPECT_EQ(merged.Result()->top5, whole.Result()->top5);
    EXPECT_EQ(merged.Result()->float_confidence,
              whole.Result()->float_confidence);
    EXPECT_EQ(merged.Result()->confidence_drift,
              whole.Result()->confidence_drift);
  }
}

TEST(AgreementCountsTest, OtherClassesInAnotherPartHaveNoResult) {
  AgreementCounts counts;
  counts.Add(at::rand({2, 5}), at::rand({2, 5}));
  AgreementCounts other;
  other.Add(at::rand({2, 6}), at::rand({2, 6}));
  ByteWriter writer;
  other.Save(writer);
  ByteReader reader(writer.bytes());
  counts.Merge(reader);
  EXPECT_FALSE(counts.Result().has_value());
}

}  // namespace
}  // namespace ns
