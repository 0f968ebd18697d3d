#include "ns/findings/saturation.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/comparison_result.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// 10000 values in steps of 0.01 from -1 to 1.55, all codes in use.
ActivationComparison Figures(int64_t at_lowest, int64_t at_highest,
                             double float_min = -9, double float_max = 9) {
  ActivationComparison figures;
  figures.elements = 10000;
  figures.ranges = ValueRanges{float_min, float_max, -1, 1.55};
  figures.codes = CodeUse{at_lowest, at_highest, 0};
  return figures;
}

LayerComparison Layer(std::optional<ActivationComparison> activation,
                      std::optional<ActivationComparison> shadow = {}) {
  LayerComparison layer;
  layer.activation = std::move(activation);
  layer.shadow = std::move(shadow);
  return layer;
}

std::vector<Saturation> Saturating(std::vector<LayerComparison> layers) {
  ComparisonResult result;
  result.layers = std::move(layers);
  return SaturatingLayers(result);
}

std::vector<size_t> Indices(const std::vector<Saturation>& saturating) {
  std::vector<size_t> indices;
  indices.reserve(saturating.size());
  for (const Saturation& shares : saturating) {
    indices.push_back(shares.layer);
  }
  return indices;
}

TEST(SaturationTest, ListsLayersByTheirLargestShare) {
  const std::vector<Saturation> saturating =
      Saturating({Layer(Figures(0, 0)), Layer(Figures(0, 20)),
                  Layer(Figures(230, 5)), Layer(Figures(20, 20))});
  EXPECT_THAT(Indices(saturating), ElementsAre(2, 1, 3));
  EXPECT_DOUBLE_EQ(saturating[0].at_lowest, 0.023);
  EXPECT_DOUBLE_EQ(saturating[0].at_highest, 0.0005);
}

TEST(SaturationTest, UpToAThousandthIsLeftOut) {
  EXPECT_THAT(Saturating({Layer(Figures(10, 10))}), IsEmpty());
  EXPECT_THAT(Indices(Saturating({Layer(Figures(0, 11))})), ElementsAre(0));
  EXPECT_THAT(Indices(Saturating({Layer(Figures(11, 0))})), ElementsAre(0));
}

TEST(SaturationTest, ValuesWithinTheRangeAreNotClamped) {
  // As after a ReLU: nothing lies beyond an end by more than a step.
  EXPECT_THAT(Saturating({Layer(Figures(5000, 500, -1.009, 1.559))}),
              IsEmpty());
  EXPECT_THAT(Indices(Saturating({Layer(Figures(5000, 500, -1.011, 0))})),
              ElementsAre(0));
  EXPECT_THAT(Indices(Saturating({Layer(Figures(5000, 500, 0, 1.561))})),
              ElementsAre(0));
}

TEST(SaturationTest, StepIsOfTheCodesInUse) {
  ActivationComparison figures = Figures(100, 100, -1, 2.8);
  figures.codes->unused = 253;  // Steps of at most 1.275.
  EXPECT_THAT(Saturating({Layer(figures)}), IsEmpty());
  figures.ranges->float_max = 3;
  EXPECT_THAT(Indices(Saturating({Layer(figures)})), ElementsAre(0));
}

// Of values that are clipped, few quantized values may occur.
TEST(SaturationTest, StepIsTheScaleWhereItIsKnown) {
  LayerComparison layer = Layer(Figures(100, 100, -1, 1.58));
  layer.activation->codes->unused = 253;
  EXPECT_EQ(ClippedShare(layer), 0);
  EXPECT_EQ(LastingClippedShare(layer), 0);
  layer.qparams = LayerQParams{0.01, 100};
  EXPECT_THAT(Indices(Saturating({layer})), ElementsAre(0));
  EXPECT_EQ(ClippedShare(layer), 0.01);
  EXPECT_EQ(LastingClippedShare(layer), 0.01);
  layer.activation->ranges->float_max = 1.559;
  EXPECT_EQ(ClippedShare(layer), 0);
}

TEST(SaturationTest, AllValuesMayBeAtOneCode) {
  ActivationComparison figures = Figures(0, 10000, 2, 9);
  figures.codes->unused = 255;
  figures.ranges->quantized_min = figures.ranges->quantized_max;
  EXPECT_THAT(Indices(Saturating({Layer(figures)})), ElementsAre(0));
}

TEST(SaturationTest, ShadowGoesBeforeTheActivation) {
  const ActivationComparison clamped = Figures(0, 100);
  const ActivationComparison within = Figures(0, 100, 0, 1);
  EXPECT_THAT(Indices(Saturating({Layer(clamped, within),
                                  Layer(within, clamped), Layer(clamped)})),
              ElementsAre(1, 2));
}

TEST(SaturationTest, LeavesOutWhatIsNotKnown) {
  ActivationComparison no_codes = Figures(0, 100);
  no_codes.codes.reset();
  ActivationComparison no_ranges = Figures(0, 100);
  no_ranges.ranges.reset();
  ActivationComparison no_count = Figures(0, 100);
  no_count.elements.reset();
  ActivationComparison no_elements = Figures(0, 0);
  no_elements.elements = 0;
  EXPECT_THAT(Saturating({Layer(std::nullopt), Layer(no_codes),
                          Layer(no_ranges), Layer(no_count), Layer(no_elements),
                          Layer(Figures(100, 100, kNan, kNan))}),
              IsEmpty());
}

TEST(SaturationTest, ClippedAreTheValuesAtBothEnds) {
  EXPECT_EQ(ClippedShare(Layer(Figures(100, 300))), 0.04);
  EXPECT_EQ(ClippedShare(Layer(Figures(100, 300, 0, 9))), 0.03);
  EXPECT_EQ(ClippedShare(Layer(Figures(100, 300, 0, 1))), 0);
  EXPECT_EQ(ClippedShare(Layer(Figures(100, 300), Figures(1, 0))), 0.0001);
}

TEST(SaturationTest, WhatIsClippedMayNotBeKnown) {
  ActivationComparison no_codes = Figures(0, 100);
  no_codes.codes.reset();
  EXPECT_FALSE(ClippedShare(Layer(no_codes)).has_value());
  EXPECT_FALSE(ClippedShare(Layer(std::nullopt)).has_value());
  const auto of_nan = ClippedShare(Layer(Figures(0, 0, kNan, 1)));
  EXPECT_TRUE(of_nan && std::isnan(*of_nan));
}

}  // namespace
}  // namespace ns
