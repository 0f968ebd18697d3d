#include "ns/findings/coarse_squares.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

LayerComparison Of(const std::string& family, double accumulated,
                   std::vector<size_t> producers) {
  LayerComparison layer =
      Broken(family, accumulated, 40, accumulated, std::move(producers));
  layer.family = family;
  layer.qparams = LayerQParams{0.01, 0};
  return layer;
}

TEST(CoarseSquaresTest, ARootNeedsSmallSquares) {
  const auto found = FindCoarseSquares(WithShadows(
      {Of("linear", 36, {}), Of("mul", 35, {0}), Of("mean", 34, {1}),
       Of("add", 34, {2}), Of("sqrt", 19, {3}), Of("div", 2, {0, 4})}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->layer, 1);
  EXPECT_EQ(found->reader, 4);
  EXPECT_EQ(found->before_db, 34);
  EXPECT_EQ(found->after_db, 19);
}

TEST(CoarseSquaresTest, NanIsTheDeepestFall) {
  const auto found =
      FindCoarseSquares(WithShadows({Of("mul", 35, {}), Of("log", kNan, {0}),
                                     Of("mul", 35, {}), Of("log", 10, {2})}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->reader, 1);
  EXPECT_EQ(found->after_db, -kInfinity);
}

TEST(CoarseSquaresTest, WhatDoesNotFallIsFine) {
  EXPECT_FALSE(
      FindCoarseSquares(WithShadows({Of("mul", 35, {}), Of("sqrt", 26, {0})})));
  // The root of a sum of other values.
  EXPECT_FALSE(FindCoarseSquares(
      WithShadows({Of("linear", 35, {}), Of("sqrt", 10, {0})})));
  // A linear layer makes other values of them.
  LayerComparison linear = Of("linear", 33, {0});
  linear.weights = {{"weight", {1}, Error(40)}};
  EXPECT_FALSE(FindCoarseSquares(
      WithShadows({Of("mul", 35, {}), linear, Of("sqrt", 10, {1})})));
}

TEST(CoarseSquaresTest, ProductsInFloatAreNotCoarse) {
  LayerComparison product = Of("mul", 35, {});
  product.qparams.reset();
  EXPECT_FALSE(FindCoarseSquares(WithShadows({product, Of("sqrt", 10, {0})})));
}

TEST(CoarseSquaresTest, GoodOutputsNeedNothing) {
  ComparisonResult result =
      WithShadows({Of("mul", 35, {}), Of("sqrt", 10, {0})});
  result.model_outputs.push_back({"output", "", "", Figures(30)});
  EXPECT_FALSE(FindCoarseSquares(result).has_value());
  result.model_outputs[0].figures = Figures(29);
  EXPECT_TRUE(FindCoarseSquares(result).has_value());
}

}  // namespace
}  // namespace ns
