#include "ns/findings/unbalanced_inputs.h"

#include <cmath>
#include <optional>

#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

// Values from 0 to `highest` with a mean square of a tenth of its square, and
// 40 dB.
LayerComparison Input(double highest, double local) {
  LayerComparison layer = Broken("input", 40, local, 50);
  layer.activation->ranges = ValueRanges{0, highest, 0, highest};
  layer.activation->error.bias_share = 0.1;
  layer.activation->error.mean_error =
      std::sqrt(0.1 * 1e-4 * 0.1 * highest * highest);
  return layer;
}

// Concatenates a large and a small input in a range of 0 to 255.
ComparisonResult Concatenated(double smallest, double local = 40) {
  LayerComparison cat = Broken("cat", 40, kInfinity, 40, {0, 1});
  cat.family = "cat";
  cat.qparams = LayerQParams{1, 0};
  return WithShadows({Input(255, 40), Input(smallest, local), cat});
}

TEST(UnbalancedInputsTest, NamesTheInputThatIsLost) {
  const auto found = WorstUnbalancedInput(Concatenated(1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->layer, 2);
  EXPECT_EQ(found->input, 1);
  EXPECT_NEAR(found->ratio, 255, 1e-9);
  // A mean square of 0.1 in steps of 1.
  EXPECT_NEAR(found->sqnr_db, 10 * std::log10(1.2), 1e-6);
}

TEST(UnbalancedInputsTest, InputsOfLikeSizeAreBalanced) {
  EXPECT_FALSE(WorstUnbalancedInput(Concatenated(20)).has_value());
}

// Enough steps are left.
TEST(UnbalancedInputsTest, ASmallerInputMaySurvive) {
  EXPECT_FALSE(WorstUnbalancedInput(Concatenated(15)).has_value());
}

TEST(UnbalancedInputsTest, TheFigureIsMeasuredWhereTheInputHasTheScale) {
  ComparisonResult result = Concatenated(1, 5);
  result.layers[1].qparams = LayerQParams{1, 0};
  EXPECT_NEAR(WorstUnbalancedInput(result)->sqnr_db, 5, 1e-9);
  result.layers[1].shadow->error.sqnr_db = 12;
  EXPECT_FALSE(WorstUnbalancedInput(result).has_value());
}

TEST(UnbalancedInputsTest, OtherOpsConcatenateNothing) {
  ComparisonResult result = Concatenated(1);
  result.layers[2].family = "add";
  EXPECT_FALSE(WorstUnbalancedInput(result).has_value());
}

}  // namespace
}  // namespace ns
