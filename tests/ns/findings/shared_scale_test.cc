#include "ns/findings/shared_scale.h"

#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

constexpr LayerQParams kLarge = {0.1, 3};

// A layer with values from 0 to `highest`.
LayerComparison WithValues(absl::string_view name, double highest,
                           const LayerQParams& qparams,
                           const std::vector<size_t>& producers = {}) {
  LayerComparison layer = Broken(name, 20, 20, 40, producers);
  layer.shadow->elements = 100;
  layer.shadow->ranges = ValueRanges{0, highest, 0, highest};
  layer.shadow->codes = CodeUse{0, 0, 0};
  layer.qparams = qparams;
  return layer;
}

TEST(SharedScaleTest, FindsThePlaceThatNeedsTheScale) {
  const ComparisonResult result = WithShadows(
      {WithValues("add", 25, kLarge), WithValues("conv", 1, {0.004, 0}, {0}),
       WithValues("add@1", 0.5, kLarge, {1})});
  EXPECT_EQ(SharesScaleWith(result, 2), 0);
  // The scale of `add` fits, and the one of `conv` is its own.
  EXPECT_FALSE(SharesScaleWith(result, 0).has_value());
  EXPECT_FALSE(SharesScaleWith(result, 1).has_value());
}

TEST(SharedScaleTest, ValuesThatNeedAThirdOfTheRangeMayShareIt) {
  const ComparisonResult result = WithShadows(
      {WithValues("add", 25, kLarge), WithValues("add@1", 8, kLarge)});
  EXPECT_FALSE(SharesScaleWith(result, 1).has_value());
}

TEST(SharedScaleTest, OpsThatKeepTheRangeOfTheirInputShareNothing) {
  const ComparisonResult result = WithShadows(
      {WithValues("conv", 25, kLarge), WithValues("relu", 25, kLarge, {0}),
       WithValues("mean", 0.5, kLarge, {1})});
  EXPECT_FALSE(SharesScaleWith(result, 2).has_value());
}

TEST(SharedScaleTest, FixedScalesAndThoseOfObserversWithoutValuesAreNotShared) {
  for (const LayerQParams& qparams :
       {LayerQParams{1. / 256, 0}, LayerQParams{1, 0}}) {
    const double range = 255 * qparams.scale;
    const ComparisonResult result =
        WithShadows({WithValues("a", range, qparams),
                     WithValues("b", range / 50, qparams)});
    EXPECT_FALSE(SharesScaleWith(result, 1).has_value());
  }
}

}  // namespace
}  // namespace ns
