#include "passes/runtime/observers/values/qparams.h"

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

TEST(QParamsTest, NoScaleIsBelowEps) {
  QuantGrid grid;
  grid.eps = 0x1p-12F;
  EXPECT_EQ(ChooseQParams(0, 1e-9F, grid).scale, 0x1p-12F);
}

TEST(QParamsTest, SymmetricGridSaysWhereZeroIs) {
  QuantGrid grid;
  grid.quant_max = 127;
  grid.symmetric_zero_point = 63;
  const QParams qparams = ChooseQParams(-3, 2, grid);
  EXPECT_EQ(qparams.zero_point, 63);
  EXPECT_FLOAT_EQ(qparams.scale, 3 / 63.5);
}

QuantGrid Int32Grid(bool compat) {
  QuantGrid grid;
  grid.quant_min = std::numeric_limits<int32_t>::min();
  grid.quant_max = std::numeric_limits<int32_t>::max();
  grid.eps = 1e-30F;
  grid.compat = compat;
  return grid;
}

TEST(QParamsTest, ZeroPointsOf32BitsWrapAroundInCompatModeOnly) {
  EXPECT_EQ(ChooseQParams(-1, 0, Int32Grid(false)).zero_point,
            std::numeric_limits<int32_t>::max());
  EXPECT_EQ(ChooseQParams(-1, 0, Int32Grid(true)).zero_point, 0);
}

TEST(QParamsTest, RangeLongerThanAnyFloatHasAScale) {
  constexpr float kMax = std::numeric_limits<float>::max();
  QuantGrid grid;
  EXPECT_FLOAT_EQ(ChooseQParams(-kMax, kMax, grid).scale, kMax / 255 * 2);
  EXPECT_EQ(ChooseQParams(-kMax, kMax, grid).zero_point, 128);
  grid.compat = true;
  EXPECT_EQ(ChooseQParams(-kMax, kMax, grid).scale,
            std::numeric_limits<float>::infinity());
}

TEST(QParamsTest, FloatZeroPointCoversTheRangeAsItIs) {
  const FloatQParams qparams = ChooseFloatQParams(2, 7.1F, QuantGrid());
  EXPECT_FLOAT_EQ(qparams.scale, 5.1 / 255);
  EXPECT_FLOAT_EQ(qparams.zero_point, -2 / (5.1 / 255));
  EXPECT_EQ(ChooseFloatQParams(2, 2, QuantGrid()).scale, 1);
  EXPECT_EQ(ChooseFloatQParams(2, 2, QuantGrid()).zero_point, -2);
}

}  // namespace
}  // namespace ns
