#include "ns/findings/input_mismatch.h"

#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

// The point at which an input is quantized, with a range from 0 to 1.
LayerComparison InputUpTo(double highest) {
  LayerComparison layer = Broken("x.quantize", 10, 10, kInfinity);
  layer.float_side = {};
  layer.shadow->elements = 100;
  layer.shadow->ranges = ValueRanges{0, highest, 0, 1};
  layer.shadow->codes = CodeUse{0, 50, 0};
  layer.qparams = LayerQParams{1. / 255, 0};
  return layer;
}

TEST(InputMismatchTest, InputsOfAnotherSizeAreNotThoseOfCalibration) {
  const auto wider = InputMismatchOf(InputUpTo(255));
  ASSERT_TRUE(wider.has_value());
  EXPECT_EQ(wider->kind, InputMismatch::Kind::kWider);
  EXPECT_NEAR(wider->width, 255, 1e-6);
  EXPECT_EQ(wider->clipped, 0.5);
  const auto narrower = InputMismatchOf(InputUpTo(0.01));
  ASSERT_TRUE(narrower.has_value());
  EXPECT_EQ(narrower->kind, InputMismatch::Kind::kNarrower);
  EXPECT_NEAR(narrower->width, 0.01, 1e-9);
  EXPECT_EQ(narrower->clipped, 0);
}

TEST(InputMismatchTest, WhatCalibrationMayNotHaveSeenIsNone) {
  for (const double highest : {0.1, 0.5, 1.0}) {
    EXPECT_FALSE(InputMismatchOf(InputUpTo(highest)));
  }
  LayerComparison layer = InputUpTo(3);
  layer.shadow->codes = CodeUse{0, 10, 0};
  EXPECT_FALSE(InputMismatchOf(layer));
}

TEST(InputMismatchTest, InputsThatAreClippedForAFifthAreShifted) {
  const auto found = InputMismatchOf(InputUpTo(2));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, InputMismatch::Kind::kShifted);
  // So are a few values far from the range: that they are narrow says less.
  LayerComparison beside = InputUpTo(0);
  beside.shadow->ranges = ValueRanges{-0.01, 0, 0, 0};
  beside.shadow->codes = CodeUse{100, 0, 255};
  EXPECT_EQ(InputMismatchOf(beside)->kind, InputMismatch::Kind::kShifted);
}

TEST(InputMismatchTest, OnlyInputsOfTheModelCount) {
  LayerComparison layer = InputUpTo(255);
  layer.float_side.op = "aten::conv2d";
  EXPECT_FALSE(InputMismatchOf(layer));
  LayerComparison uncalibrated = InputUpTo(255 * 255);
  uncalibrated.qparams = LayerQParams{1, 0};
  EXPECT_FALSE(InputMismatchOf(uncalibrated));
  EXPECT_FALSE(InputMismatchOf(Layer("x.quantize", 10)));
}

}  // namespace
}  // namespace ns
