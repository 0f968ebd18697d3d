#include "ns/report/table/accuracy_text.h"

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

}  // namespace
}  // namespace ns
