#include "ns/findings/unexplained_falls.h"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/findings/error_breakdown.h"
#include "ns/result/comparison_result.h"
#include "tests/ns/findings/layer_figures.h"

namespace ns {
namespace {

using ::testing::Optional;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(FirstUnexplainedFallTest, MayBeOfAnotherOutput) {
  ComparisonResult result = Behind20Db(19, 40);
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
  result.layers[1].outputs = {Output("h_n", 18, 40), Output("c_n", 5, 40)};
  EXPECT_THAT(FirstUnexplainedFall(result), Optional(1));
  const OutputComparison* output = UnexplainedOutput(result, 1);
  EXPECT_EQ(output, &result.layers[1].outputs[1]);
  // Its own local error is what is expected of it.
  result.layers[1].outputs[1].shadow->error.sqnr_db = 5;
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
  EXPECT_NEAR(ExpectedAccumulatedDb(result, 1, output).value(), 4.865, 0.001);
  EXPECT_NEAR(ExpectedAccumulatedDb(result, 1).value(), 19.957, 0.001);
}

TEST(ExpectedAccumulatedDbTest, AddsPowersOfInheritedAndLocalError) {
  EXPECT_THAT(ExpectedAccumulatedDb(Behind20Db(5, 20), 1),
              Optional(testing::DoubleNear(20 - 10 * std::log10(2), 1e-9)));
  EXPECT_THAT(ExpectedAccumulatedDb(Behind20Db(5, kInfinity), 1),
              Optional(testing::DoubleNear(20, 1e-9)));
}

TEST(ExpectedAccumulatedDbTest, TakesTheWorstProducer) {
  const ComparisonResult result =
      Result({Layer(30, 30), Layer(10, 10), Layer(20, 20),
              Layer(5, kInfinity, {0, 1, 2})});
  EXPECT_THAT(ExpectedAccumulatedDb(result, 3),
              Optional(testing::DoubleNear(10, 1e-9)));
}

TEST(ExpectedAccumulatedDbTest, IsInfiniteForExactAndForErrorWithoutSignal) {
  EXPECT_THAT(ExpectedAccumulatedDb(
                  Result({Layer(kInfinity, {}), Layer(5, kInfinity, {0})}), 1),
              Optional(kInfinity));
  EXPECT_THAT(ExpectedAccumulatedDb(Behind20Db(5, -kInfinity), 1),
              Optional(-kInfinity));
}

TEST(ExpectedAccumulatedDbTest, IsAbsentWhereSomethingIsNotKnown) {
  const std::vector<LayerComparison> layers = {Layer(20, 20), Layer({}, 20),
                                               Layer(kNan, 20)};
  const auto expected = [&](const LayerComparison& last) {
    std::vector<LayerComparison> all = layers;
    all.push_back(last);
    return ExpectedAccumulatedDb(Result(all), all.size() - 1);
  };
  EXPECT_NE(expected(Layer(5, 20, {0})), std::nullopt);
  EXPECT_EQ(expected(Layer(5, 20)), std::nullopt);
  EXPECT_EQ(expected(Layer(5, {}, {0})), std::nullopt);
  EXPECT_EQ(expected(Layer(5, kNan, {0})), std::nullopt);
  EXPECT_EQ(expected(Layer(5, 20, {0, 1})), std::nullopt);
  EXPECT_EQ(expected(Layer(5, 20, {0, 2})), std::nullopt);
  EXPECT_EQ(expected(Layer(5, 20, {0, 99})), std::nullopt);
  LayerComparison of_other_output = Layer(5, 20, {0});
  of_other_output.producers_are_compared = false;
  EXPECT_EQ(expected(of_other_output), std::nullopt);
}

TEST(FirstUnexplainedFallTest, IsTheFirstLayerBelowWhatIsExpected) {
  const ComparisonResult result =
      Result({Layer(35, 35), Layer(31, 34, {0}), Layer(20, 36, {1}),
              Layer(8, 36, {2})});
  EXPECT_THAT(FirstUnexplainedFall(result), Optional(2));
}

TEST(FirstUnexplainedFallTest, LeavesAMarginOf6DbBelow) {
  // Expected are 16.99 dB.
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db(11, 20)), std::nullopt);
  EXPECT_THAT(FirstUnexplainedFall(Behind20Db(10.9, 20)), Optional(1));
}

// Scores with masked ones among them have a high SQNR, and the others a low
// one.
TEST(FirstUnexplainedFallTest, IsNotWhatAFunctionMakesOfItsInput) {
  ComparisonResult result = Result({Layer(80, 80), Layer(20, 45, {0}, 20)});
  for (const char* family : {"softmax", "sigmoid", "layer_norm", "slice"}) {
    result.layers[1].family = family;
    EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt) << family;
    EXPECT_NEAR(ExpectedAccumulatedDb(result, 1).value(), 20, 0.1);
  }
  // More than what it inherits.
  result.layers[1].activation->error.sqnr_db = 10;
  EXPECT_THAT(FirstUnexplainedFall(result), Optional(1));
}

TEST(FirstUnexplainedFallTest, MayBeWhereTermsCancel) {
  ComparisonResult result = Result({Layer(40, 40), Layer(20, 45, {0}, 20)});
  for (const char* family : {"add", "sub", "linear", "conv2d", "mean", ""}) {
    result.layers[1].family = family;
    EXPECT_THAT(FirstUnexplainedFall(result), Optional(1)) << family;
  }
}

TEST(FirstUnpairedFallTest, IsBehindWhatOnlyOneModelHas) {
  ComparisonResult result = Behind20Db(-1, 30);
  EXPECT_EQ(FirstUnpairedFall(result), std::nullopt);
  result.layers[1].unpaired_input = "why";
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
  const std::optional<UnpairedFall> fall = FirstUnpairedFall(result);
  ASSERT_TRUE(fall.has_value());
  EXPECT_EQ(fall->layer, 1);
  EXPECT_EQ(fall->output, nullptr);
  EXPECT_NEAR(fall->accumulated_db, -1, 1e-9);
  EXPECT_NEAR(fall->expected_db, -10 * std::log10(0.01 + 0.001), 1e-9);
  result.inputs_are_finite = false;
  EXPECT_EQ(FirstUnpairedFall(result), std::nullopt);
}

TEST(FirstUnpairedFallTest, MayBeBehindAnOpThatWasReplaced) {
  ComparisonResult result = Behind20Db(-1, 30);
  result.layers[1].replaced_input = "why";
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
  EXPECT_TRUE(FirstUnpairedFall(result).has_value());
  // Such a layer may well be the worst offender.
  result.layers[1].shadow->error.sqnr_db = 3;
  EXPECT_THAT(WorstOffender(result), Optional(1));
}

// The float layer does not take what the quantized one gets.
TEST(FirstUnpairedFallTest, ALayerWithoutAShadowMayHave20DbByItself) {
  for (const double accumulated : {12., 10.}) {
    ComparisonResult result = Behind20Db(accumulated, std::nullopt);
    result.layers[1].replaced_input = "why";
    EXPECT_EQ(FirstUnpairedFall(result).has_value(), accumulated < 11);
  }
}

TEST(FirstUnpairedFallTest, LeavesAMarginOf6DbBelow) {
  for (const double accumulated : {14., 13.}) {
    ComparisonResult result = Behind20Db(accumulated, kInfinity);
    result.layers[1].unpaired_input = "why";
    EXPECT_EQ(FirstUnpairedFall(result).has_value(), accumulated < 13.9);
  }
}

// What is not compared may hand on as much as any layer in front.
TEST(FirstUnpairedFallTest, UnknownInputsHaveTheLargestErrorInFront) {
  for (const double worst : {20., 2.}) {
    ComparisonResult result =
        Result({Layer(worst, 20), Layer(30, 30), Layer(1, 40, {1})});
    result.layers[2].producers_are_compared = false;
    result.layers[2].unpaired_input = "why";
    EXPECT_EQ(FirstUnpairedFall(result).has_value(), worst == 20);
  }
  ComparisonResult first = Result({Layer(1, 40)});
  first.layers[0].unpaired_input = "why";
  EXPECT_TRUE(FirstUnpairedFall(first).has_value());
}

TEST(FirstUnpairedFallTest, MayBeOfAnotherOutput) {
  ComparisonResult result = Behind20Db(19, 40);
  result.layers[1].unpaired_input = "why";
  result.layers[1].outputs = {Output("h_n", 18, 40), Output("c_n", 5, 40)};
  const std::optional<UnpairedFall> fall = FirstUnpairedFall(result);
  ASSERT_TRUE(fall.has_value());
  EXPECT_EQ(fall->output, &result.layers[1].outputs[1]);
}

TEST(FirstUnexplainedFallTest, LargeLocalErrorExplainsAFall) {
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db(3, 3)), std::nullopt);
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db(-kInfinity, -kInfinity)),
            std::nullopt);
}

TEST(FirstUnexplainedFallTest, ErrorFromNowhereIsUnexplained) {
  const auto behind_exact = [](double accumulated) {
    return FirstUnexplainedFall(
        Result({Layer(kInfinity, {}), Layer(accumulated, kInfinity, {0})}));
  };
  EXPECT_THAT(behind_exact(30), Optional(1));
  EXPECT_THAT(behind_exact(-kInfinity), Optional(1));
  EXPECT_EQ(behind_exact(kInfinity), std::nullopt);
}

TEST(FirstUnexplainedFallTest, RoundingOfFloatsNeedsNoExplanation) {
  EXPECT_EQ(FirstUnexplainedFall(
                Result({Layer(kInfinity, {}), Layer(120, kInfinity, {0})})),
            std::nullopt);
}

TEST(FirstUnexplainedFallTest, PassesOverWhatIsNotKnown) {
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db({}, 20)), std::nullopt);
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db(kNan, 20)), std::nullopt);
  EXPECT_EQ(FirstUnexplainedFall(Behind20Db(5, {})), std::nullopt);
  EXPECT_EQ(FirstUnexplainedFall(Result({Layer(5, 20)})), std::nullopt);
  EXPECT_EQ(FirstUnexplainedFall({}), std::nullopt);
}

TEST(FirstUnexplainedFallTest, IsNoLayerWithAnUnpairedInput) {
  ComparisonResult result = Behind20Db(5, 20);
  ASSERT_THAT(FirstUnexplainedFall(result), Optional(1));
  result.layers[1].unpaired_input = "an extra layer";
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
}

TEST(FirstUnexplainedFallTest, IsNotNamedFromNanAndInfinities) {
  ComparisonResult result = Result({Layer(40, 40), Layer(10, 40, {0})});
  EXPECT_THAT(FirstUnexplainedFall(result), Optional(1));
  result.inputs_are_finite = false;
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
  result.inputs_are_finite = true;
  result.layers[1].activation->non_finite = NonFiniteCounts{0, 1, 0, 0};
  EXPECT_EQ(FirstUnexplainedFall(result), std::nullopt);
}

TEST(FirstUnexplainedFallTest, LoopsMayLeadBack) {
  const ComparisonResult result =
      Result({Layer(20, 20, {1}), Layer(10, 20, {0, 1}), Layer(3, 20, {1})});
  EXPECT_THAT(FirstUnexplainedFall(result), Optional(2));
}

}  // namespace
}  // namespace ns
