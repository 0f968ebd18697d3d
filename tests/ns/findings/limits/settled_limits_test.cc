#include "ns/findings/limits/settled_limits.h"

#include <vector>

#include "gtest/gtest.h"
#include "ns/findings/limits/limits.h"
#include "tests/ns/report/table_results.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// Whether a limit of `kind` on all layers is crossed for good after 2 batches.
bool IsSettled(LimitKind kind, const char* bound, const LayerComparison& layer,
               int64_t batches_left) {
  ComparisonResult result = Result({layer});
  result.batches = 2;
  Limits limits;
  (kind == LimitKind::kMaxClip ? limits.max_clip : limits.fail_below) =
      OrThrow(ParseLayerLimits(kind, bound));
  return IsCrossedForGood(CheckLimits(limits, result), result, batches_left);
}

LayerComparison WithNan(double db) {
  LayerComparison layer = Layer("a", db);
  layer.activation->non_finite = {1, 0, 0, 0};
  return layer;
}

// Of 1000 values, `at_highest` are at the end of 0 to 2.55, which float values
// go beyond up to `float_max`.
LayerComparison Clipping(int64_t at_highest, double float_max = 9) {
  LayerComparison layer = Layer("a", 30);
  layer.activation->elements = 1000;
  layer.activation->ranges = {0, float_max, 0, 2.55};
  layer.activation->codes = {0, at_highest, 56};
  return layer;
}

TEST(SettledLimitsTest, AnSqnrMayAlwaysChange) {
  EXPECT_FALSE(IsSettled(LimitKind::kFailBelow, "20", Layer("a", 1), 1));
  EXPECT_FALSE(
      IsSettled(LimitKind::kFailBelow, "20", Layer("a", -kInfinity), 1));
  EXPECT_FALSE(IsSettled(LimitKind::kFailBelow, "20", Layer("a", 30), 1));
}

TEST(SettledLimitsTest, NanAmongTheValuesStays) {
  EXPECT_TRUE(IsSettled(LimitKind::kFailBelow, "20", WithNan(kNan), 100));
  EXPECT_TRUE(IsSettled(LimitKind::kFailBelow, "20", WithNan(-kInfinity), 100));
  EXPECT_FALSE(IsSettled(LimitKind::kFailBelow, "20", Layer("a", kNan), 1));
}

TEST(SettledLimitsTest, NanOfAnotherOutputIsFoundThere) {
  LayerComparison layer = Layer("a", 30);
  layer.outputs = {Output("c_n", kNan, 1, 1)};
  EXPECT_FALSE(IsSettled(LimitKind::kFailBelow, "20", layer, 1));
  layer.outputs[0].activation->non_finite = {0, 0, 1, 0};
  EXPECT_TRUE(IsSettled(LimitKind::kFailBelow, "20", layer, 1));
}

// 5 % of 2 batches are 1 % of 10.
TEST(SettledLimitsTest, ClippedValuesCountAmongAllThatAreToCome) {
  EXPECT_TRUE(IsSettled(LimitKind::kMaxClip, "1%", Clipping(51), 8));
  EXPECT_FALSE(IsSettled(LimitKind::kMaxClip, "1%", Clipping(50), 8));
  EXPECT_FALSE(IsSettled(LimitKind::kMaxClip, "1%", Clipping(51), 9));
}

// With 200 of the 256 quantized values in use, a step of 0.0128 may still
// become one of 0.0164.
TEST(SettledLimitsTest, AnEndCountsWhereItWillWhateverComes) {
  EXPECT_TRUE(IsSettled(LimitKind::kMaxClip, "1%", Clipping(51, 2.57), 1));
  EXPECT_FALSE(IsSettled(LimitKind::kMaxClip, "1%", Clipping(51, 2.566), 1));
}

TEST(SettledLimitsTest, NanAmongFloatValuesCrossesForGood) {
  EXPECT_TRUE(IsSettled(LimitKind::kMaxClip, "1%", Clipping(0, kNan), 100));
}

TEST(SettledLimitsTest, OpsStayUnmatched) {
  ComparisonResult result = Result({Layer("a", 30)});
  result.unmatched = {{"float", "x", "aten::log", "why"}};
  Limits limits;
  limits.max_unmatched = 0;
  EXPECT_TRUE(IsCrossedForGood(CheckLimits(limits, result), result, 100));
  limits.max_unmatched = 1;
  EXPECT_FALSE(IsCrossedForGood(CheckLimits(limits, result), result, 100));
}

TEST(SettledLimitsTest, WhatHasNoFigureYetMayGetOne) {
  EXPECT_FALSE(IsSettled(LimitKind::kFailBelow, "20", Layer("a", {}), 1));
  EXPECT_FALSE(IsSettled(LimitKind::kFailBelow, "a:20", Layer("a", {}), 1));
}

}  // namespace
}  // namespace ns
