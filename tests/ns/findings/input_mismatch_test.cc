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
  for (const double highest : {255.0, 0.01}) {
    EXPECT_NEAR(*InputWidth(InputUpTo(highest)), highest, 1e-9 * highest);
    EXPECT_TRUE(IsInputMismatch(InputUpTo(highest)));
  }
}

TEST(InputMismatchTest, WhatCalibrationMayNotHaveSeenIsNone) {
  for (const double highest : {0.1, 0.5, 1.0}) {
    EXPECT_FALSE(IsInputMismatch(InputUpTo(highest)));
  }
  LayerComparison layer = InputUpTo(3);
  layer.shadow->codes = CodeUse{0, 10, 0};
  EXPECT_FALSE(IsInputMismatch(layer));
}

TEST(InputMismatchTest, InputsThatAreClippedForAFifthAreShifted) {
  EXPECT_TRUE(IsInputMismatch(InputUpTo(2)));
}

TEST(InputMismatchTest, OnlyInputsOfTheModelCount) {
  LayerComparison layer = InputUpTo(255);
  layer.float_side.op = "aten::conv2d";
  EXPECT_FALSE(IsInputMismatch(layer));
  LayerComparison uncalibrated = InputUpTo(255 * 255);
  uncalibrated.qparams = LayerQParams{1, 0};
  EXPECT_FALSE(IsInputMismatch(uncalibrated));
  EXPECT_FALSE(IsInputMismatch(Layer("x.quantize", 10)));
}

}  // namespace
}  // namespace ns
