#include "ns/findings/reduced_range.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

// A layer with values from -1 to 1 in a range that is `ratio` times as wide.
LayerComparison InRange(double ratio, int64_t zero_point) {
  LayerComparison layer = Broken("fc", 30, 35, 30);
  layer.qparams = LayerQParams{2 * ratio / 255, zero_point};
  layer.shadow->ranges = ValueRanges{-1, 1, -1, 1};
  layer.shadow->codes = CodeUse{0, 0, 128};
  return layer;
}

// A model whose output has `output_db`.
ComparisonResult Model(const std::vector<LayerComparison>& layers,
                       double output_db = 21) {
  ComparisonResult result = WithShadows(layers);
  result.model_outputs.push_back({"output", "", "", Figures(output_db)});
  return result;
}

TEST(ReducedRangeTest, MostRangesAreTwiceAsWideAsTheirValues) {
  EXPECT_EQ(
      ReducedRanges(Model(std::vector<LayerComparison>(5, InRange(2, 64)))), 5);
  EXPECT_EQ(
      ReducedRanges(Model({InRange(2, 64), InRange(2.1, 60), InRange(1.9, 0),
                           InRange(2.6, 64), InRange(1.2, 64)})),
      5);
}

TEST(ReducedRangeTest, RangesThatFitHaveAllBits) {
  EXPECT_EQ(
      ReducedRanges(Model(std::vector<LayerComparison>(5, InRange(1, 64)))), 0);
  EXPECT_EQ(ReducedRanges(Model({InRange(2, 64), InRange(2, 64), InRange(1, 64),
                                 InRange(1, 64)})),
            0);
}

// With 7 bits, no zero point is in the upper half.
TEST(ReducedRangeTest, AZeroPointAbove127IsOf8Bits) {
  EXPECT_EQ(ReducedRanges(Model({InRange(2, 64), InRange(2, 64),
                                 InRange(2, 128), InRange(2, 64)})),
            0);
}

TEST(ReducedRangeTest, RangesThatAreMuchTooWideAreAnotherCause) {
  EXPECT_EQ(
      ReducedRanges(Model(std::vector<LayerComparison>(5, InRange(40, 64)))),
      0);
}

TEST(ReducedRangeTest, ItIsNotSaidOfGoodOutputsAndOfTwoActivations) {
  const std::vector<LayerComparison> layers(5, InRange(2, 64));
  EXPECT_EQ(ReducedRanges(Model(layers, 31)), 0);
  EXPECT_EQ(ReducedRanges(Model({InRange(2, 64), InRange(2, 64)})), 0);
}

}  // namespace
}  // namespace ns
