#include "ns/report/table/accuracy_text.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

Accuracy Example() {
  Accuracy accuracy;
  accuracy.samples = 256;
  accuracy.float_top1 = 0.9921875;
  accuracy.quantized_top1 = 0.98828125;
  accuracy.difference = -0.00390625;
  accuracy.lowest_difference = -0.0125;
  accuracy.highest_difference = 0.005;
  accuracy.agreement = 0.99609375;
  accuracy.flipped = 1;
  accuracy.flips = {{3, 14, 7, 7, 9, 0.5125, 0}};
  return accuracy;
}

TEST(AccuracyTextTest, SaysWhatBothModelsClassify) {
  EXPECT_EQ(
      AccuracySummary(Example()),
      "\ntop-1 of 256 samples: float 99.22 %, quantized 98.83 %, -0.39 "
      "points (95 %: -1.25 to +0.50)\n"
      "same class for 99.61 %; 1 flip:\n"
      "  batch 3, sample 14: label 7, float 7 (margin 0.512), quantized 9 "
      "(margin 0)\n");
}

TEST(AccuracyTextTest, ListsTheFirstFlips) {
  Accuracy accuracy = Example();
  accuracy.flips = std::vector<Flip>(12, accuracy.flips[0]);
  accuracy.flipped = 2000;
  const std::string text = AccuracySummary(accuracy);
  EXPECT_THAT(text, HasSubstr("; 2000 flips:\n"));
  EXPECT_THAT(text, EndsWith("\n  and 1990 more (see --json)\n"));
}

TEST(AccuracyTextTest, ModelsMayAgree) {
  Accuracy accuracy = Example();
  accuracy.flips.clear();
  accuracy.flipped = 0;
  accuracy.agreement = 1;
  EXPECT_THAT(AccuracySummary(accuracy),
              EndsWith("same class for 100.00 %; no flips\n"));
}

TEST(AccuracyTextTest, ScoresAreAligned) {
  EXPECT_EQ(ScoreSummary({}), "");
  EXPECT_EQ(ScoreSummary({{"map", 0.912, 0.874, -0.038}}),
            "\nscore map  float 0.912  quantized 0.874  -0.038\n");
  EXPECT_EQ(ScoreSummary({{"map", 0.5, 0.25, -0.25},
                          {"accuracy", 98.123456, std::nan(""), std::nan("")}}),
            "\n"
            "score map       float 0.5    quantized 0.25  -0.25\n"
            "score accuracy  float 98.12  quantized nan   nan\n");
  EXPECT_EQ(ScoreText({"map", 0.912, 0.874, -0.038}),
            "float 0.912, quantized 0.874, -0.038");
}

TEST(AccuracyTextTest, AgreementNeedsNoLabels) {
  ClassAgreement agreement;
  agreement.top1 = 0.996;
  agreement.confidence_drift = -0.00181;
  EXPECT_EQ(AgreementText(agreement), "top-1 99.60 %, confidence -0.0018");
  agreement.top5 = 1;
  EXPECT_EQ(AgreementText(agreement),
            "top-1 99.60 %, top-5 100.00 %, confidence -0.0018");
}

TEST(AccuracyTextTest, NamesTheFirstTenSamples) {
  EXPECT_EQ(SamplesText({"flipped", {3, 17}, 256}), "3, 17 of 256 (flipped)");
  EXPECT_EQ(
      SamplesText({"worst:12", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20}, 30}),
      "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more of 30 (worst:12)");
}

}  // namespace
}  // namespace ns
