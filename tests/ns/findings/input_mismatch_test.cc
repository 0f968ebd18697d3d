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

TEST(InputMismatchTest, TellsHowManyTimesAsWideTheInputsAre) {
  EXPECT_NEAR(*InputMismatch(InputUpTo(255)), 255, 1e-9);
  EXPECT_NEAR(*InputMismatch(InputUpTo(0.01)), 0.01, 1e-9);
}

TEST(InputMismatchTest, WhatCalibrationMayNotHaveSeenIsNone) {
  for (const double highest : {0.1, 0.5, 1.0, 3.0}) {
    EXPECT_FALSE(InputMismatch(InputUpTo(highest)).has_value());
  }
}

TEST(InputMismatchTest, OnlyInputsOfTheModelCount) {
  LayerComparison layer = InputUpTo(255);
  layer.float_side.op = "aten::conv2d";
  EXPECT_FALSE(InputMismatch(layer).has_value());
  LayerComparison uncalibrated = InputUpTo(255 * 255);
  uncalibrated.qparams = LayerQParams{1, 0};
  EXPECT_FALSE(InputMismatch(uncalibrated).has_value());
  EXPECT_FALSE(InputMismatch(Layer("x.quantize", 10)).has_value());
}

}  // namespace
}  // namespace ns
