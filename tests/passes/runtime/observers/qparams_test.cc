#include "passes/runtime/observers/qparams.h"

#include <limits>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(QParamsTest, AffineRangeUsesEveryInteger) {
  const QParams qparams = ChooseQParams(-1, 3, 0, 255, /*symmetric=*/false);
  EXPECT_FLOAT_EQ(qparams.scale, 4.0 / 255);
  EXPECT_EQ(qparams.zero_point, 64);  // round(255 / 4)
}

TEST(QParamsTest, RangeIsWidenedToHoldZero) {
  const QParams positive = ChooseQParams(2, 5.1F, 0, 255, false);
  EXPECT_FLOAT_EQ(positive.scale, 5.1 / 255);
  EXPECT_EQ(positive.zero_point, 0);
  const QParams negative = ChooseQParams(-5.1F, -2, 0, 255, false);
  EXPECT_FLOAT_EQ(negative.scale, 5.1 / 255);
  EXPECT_EQ(negative.zero_point, 255);
}

TEST(QParamsTest, ReducedRangeHasLargerSteps) {
  const QParams qparams = ChooseQParams(0, 1, 0, 127, false);
  EXPECT_FLOAT_EQ(qparams.scale, 1.0 / 127);
}

TEST(QParamsTest, TiesOfTheZeroPointGoToTheEvenNumber) {
  // -min / scale is 0.5 and 1.5.
  EXPECT_EQ(ChooseQParams(-1, 9, 0, 5, false).zero_point, 0);
  EXPECT_EQ(ChooseQParams(-3, 7, 0, 5, false).zero_point, 2);
}

TEST(QParamsTest, SymmetricRangeIsThatOfTheLargerSide) {
  const QParams qparams = ChooseQParams(-3, 2, -128, 127, /*symmetric=*/true);
  EXPECT_FLOAT_EQ(qparams.scale, 3 / 127.5);
  EXPECT_EQ(qparams.zero_point, 0);
  EXPECT_FLOAT_EQ(ChooseQParams(-2, 3, -8, 7, true).scale, 3 / 7.5);
}

TEST(QParamsTest, SymmetricUnsignedHasItsZeroInTheMiddle) {
  EXPECT_EQ(ChooseQParams(-3, 2, 0, 255, true).zero_point, 128);
}

TEST(QParamsTest, ZerosHaveAScale) {
  for (const bool symmetric : {false, true}) {
    EXPECT_FLOAT_EQ(ChooseQParams(0, 0, 0, 255, symmetric).scale,
                    std::numeric_limits<float>::epsilon());
  }
}

}  // namespace
}  // namespace ns
