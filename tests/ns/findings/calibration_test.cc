#include "ns/findings/calibration.h"

#include <optional>

#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

LayerComparison Quantized(double scale, int64_t zero_point, double highest) {
  LayerComparison layer = Broken("layer", 30, 30, 30);
  layer.qparams = LayerQParams{scale, zero_point};
  layer.shadow->codes = CodeUse{};
  layer.shadow->ranges = ValueRanges{0, highest, 0, highest};
  return layer;
}

TEST(CalibrationTest, CountsActivationsThatNoObserverHasSeen) {
  EXPECT_EQ(UncalibratedActivations(
                WithShadows({Quantized(1, 0, 3), Quantized(1, 0, 200)})),
            2);
  // A sigmoid has its range without calibration.
  EXPECT_EQ(UncalibratedActivations(
                WithShadows({Quantized(1, 0, 3), Quantized(1. / 256, 0, 1)})),
            1);
}

TEST(CalibrationTest, OneCalibratedActivationIsEnough) {
  EXPECT_EQ(UncalibratedActivations(
                WithShadows({Quantized(1, 0, 3), Quantized(0.1, 0, 3)})),
            0);
}

// Images of bytes.
TEST(CalibrationTest, ValuesThatFitAreCalibrated) {
  EXPECT_EQ(UncalibratedActivations(WithShadows({Quantized(1, 0, 255)})), 0);
  EXPECT_EQ(UncalibratedActivations(WithShadows({Quantized(1, 0, 300)})), 1);
}

TEST(CalibrationTest, WithoutValuesTwoAreNeeded) {
  LayerComparison layer = Layer("fc", std::nullopt, {40});
  layer.qparams = LayerQParams{1, 0};
  EXPECT_EQ(UncalibratedActivations(Result({layer})), 0);
  EXPECT_EQ(UncalibratedActivations(Result({layer, layer})), 2);
}

}  // namespace
}  // namespace ns
