#include "ns/search/recipe_search.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/accuracy/paired_test.h"
#include "passes/runtime/noise/noise_rows.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Three layers with one candidate. Each in int8 saves 1 us of 10, and has the
// noise 0.01, 0.001 or 0.0001.
class RecipeSearchTest : public ::testing::Test {
 protected:
  static double NoiseOf(const RecipeChoices& choices) {
    return 0.01 * choices[0] + 0.001 * choices[1] + 0.0001 * choices[2];
  }

  static RecipeProblem Problem(double saved = 1) {
    return {{2, 2, 2}, [saved](const RecipeChoices& choices) {
              return RecipeCost{
                  NoiseOf(choices),
                  10 - saved * (choices[0] + choices[1] + choices[2])};
            }};
  }

  // Measures noise, and loses `lost` of 100 samples.
  RecipeSearch::Measure Measuring(double factor) {
    return [this, factor](
               const RecipeChoices& choices) -> absl::StatusOr<MeasuredRecipe> {
      MeasuredRecipe recipe{{FloatModel({"return x"}), {}}, 0, {}, ""};
      const auto found = noise_.find(choices);
      recipe.noise =
          found == noise_.end() ? factor * NoiseOf(choices) : found->second;
      recipe.top1.samples = 1000;
      recipe.top1.float_correct = 1000;
      recipe.top1.lost = static_cast<int64_t>(1e4 * NoiseOf(choices));
      recipe.top1.quantized_correct = 1000 - recipe.top1.lost;
      return recipe;
    };
  }

  static RecipeLimit Budget(double db) { return {db, std::nullopt}; }

  static std::vector<RecipeChoices> ChoicesOf(const RecipeSearch& search) {
    std::vector<RecipeChoices> choices;
    for (const VerifiedRecipe& verified : search.verified()) {
      choices.push_back(verified.choices);
    }
    return choices;
  }

  // What recipes have that differ from the rule.
  std::map<RecipeChoices, double> noise_;
};

TEST_F(RecipeSearchTest, TakesTheCheapestThatKeepsTheBudget) {
  RecipeSearch search(Problem(), Budget(25), Measuring(1));
  NS_ASSERT_OK(search.Run());
  EXPECT_THAT(ChoicesOf(search), ElementsAre(RecipeChoices{0, 1, 1}));
  EXPECT_EQ(search.chosen(), 0);
  EXPECT_NEAR(search.verified()[0].predicted_db,
              search.verified()[0].measured_db, 1e-9);
  EXPECT_EQ(search.verified()[0].predicted_us, 8);
}

// The second is found by what was measured of the first.
TEST_F(RecipeSearchTest, CorrectsPredictionsThatAreTooLow) {
  RecipeSearch search(Problem(), Budget(25), Measuring(4));
  NS_ASSERT_OK(search.Run());
  // The third is measured for the frontier.
  EXPECT_THAT(ChoicesOf(search),
              ElementsAre(RecipeChoices{0, 1, 1}, RecipeChoices{0, 0, 1},
                          RecipeChoices{1, 1, 1}));
  EXPECT_FALSE(search.verified()[0].keeps_budget);
  EXPECT_EQ(search.chosen(), 1);
  EXPECT_NEAR(search.verified()[1].predicted_db,
              search.verified()[1].measured_db, 1e-9);
  for (const ParetoPoint& point : search.Frontier()) {
    if (point.int8_layers == 1) {
      EXPECT_NEAR(point.sqnr_db, search.verified()[1].measured_db, 1e-9);
    }
  }
}

// Layers make pairs, and the noise of a pair remains until both are float: no
// change of one layer saves noise.
TEST_F(RecipeSearchTest, TheFrontierIsNotThatOfSingleChanges) {
  const RecipeProblem problem = {
      {2, 2, 2, 2, 2, 2}, [](const RecipeChoices& choices) {
        RecipeCost cost{0, 20};
        double noise = 0.1;
        for (size_t i = 0; i < choices.size(); i += 2, noise /= 10) {
          cost.noise += choices[i] + choices[i + 1] > 0 ? noise : 0;
          cost.time -= choices[i] + choices[i + 1];
        }
        return cost;
      }};
  RecipeSearch search(
      problem, Budget(15),
      [&](const RecipeChoices& choices) -> absl::StatusOr<MeasuredRecipe> {
        return MeasuredRecipe{{FloatModel({"return x"}), {}},
                              problem.cost(choices).noise,
                              {},
                              ""};
      });
  NS_ASSERT_OK(search.Run());
  const VerifiedRecipe& chosen = search.verified()[search.chosen()];
  EXPECT_EQ(chosen.choices, (RecipeChoices{0, 0, 1, 1, 1, 1}));
  const std::vector<ParetoPoint> frontier = search.Frontier();
  std::vector<int64_t> int8_layers;
  for (const ParetoPoint& point : frontier) {
    int8_layers.push_back(point.int8_layers);
    EXPECT_EQ(point.is_measured, point.time_us == chosen.predicted_us);
    EXPECT_EQ(point.is_chosen, point.is_measured);
  }
  EXPECT_THAT(int8_layers, ElementsAre(6, 4, 2, 0));
  EXPECT_THAT(search.warnings(), IsEmpty());
}

// Predictions are 10 dB too high: what lies between the recipes that the search
// came by is measured, too, and no recipe of the frontier beats another one.
TEST_F(RecipeSearchTest, MeasuresMoreOfTheFrontierAfterAWrongPrediction) {
  constexpr size_t kLayers = 12;
  const auto noise_of = [](const RecipeChoices& choices) {
    double noise = 0;
    for (size_t i = 0; i < choices.size(); ++i) {
      noise += choices[i] * std::pow(10, -1 - 0.3 * static_cast<double>(i));
    }
    return noise;
  };
  const RecipeProblem problem = {
      std::vector<int>(kLayers, 2), [&](const RecipeChoices& choices) {
        return RecipeCost{
            noise_of(choices) / 10,
            20.0 - std::accumulate(choices.begin(), choices.end(), 0)};
      }};
  const RecipeSearch::Measure measure =
      [&](const RecipeChoices& choices) -> absl::StatusOr<MeasuredRecipe> {
    return MeasuredRecipe{
        {FloatModel({"return x"}), {}}, noise_of(choices), {}, ""};
  };
  RecipeSearch search(problem, Budget(15), measure);
  NS_ASSERT_OK(search.Run());
  EXPECT_THAT(search.warnings(),
              ElementsAre(ContainsRegex(
                  "a recipe with 1[0-9] of 12 layers in int8 was predicted to "
                  "reach [0-9.]+ dB and reaches [0-9.]+ dB; 4 more recipes of "
                  "the frontier were measured")));
  // Those of the search, and as many as are allowed.
  const size_t measured = search.verified().size();
  EXPECT_LE(measured, kVerifications + kFrontierMeasurements);
  for (size_t i = measured - kFrontierMeasurements; i < measured; ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_GT(std::abs(search.verified()[i].measured_db -
                         search.verified()[j].measured_db),
                1);
    }
  }
  const std::vector<ParetoPoint> frontier = search.Frontier();
  int marked = 0;
  for (size_t i = 0; i < frontier.size(); ++i) {
    marked += frontier[i].is_measured ? 1 : 0;
    if (i > 0) {
      EXPECT_GT(frontier[i].time_us, frontier[i - 1].time_us);
      EXPECT_GT(frontier[i].sqnr_db, frontier[i - 1].sqnr_db);
    }
  }
  EXPECT_GT(marked, kFrontierMeasurements);
  EXPECT_LE(marked, measured);
}

// All recipes are predicted to be exact. Once one is measured and is not, the
// others are doubtful, and float is not.
TEST_F(RecipeSearchTest, FloatStaysOnTheFrontierWhereOthersOnlySeemExact) {
  RecipeProblem problem = Problem();
  problem.cost = [cost = problem.cost](const RecipeChoices& choices) {
    RecipeCost seems = cost(choices);
    seems.noise = 0;
    return seems;
  };
  RecipeSearch search(problem, Budget(15), Measuring(1));
  NS_ASSERT_OK(search.Run());
  EXPECT_THAT(
      search.warnings(),
      ElementsAre("a recipe with 3 of 3 layers in int8 was predicted to reach "
                  "equal outputs and reaches 19.5 dB"));
  const std::vector<ParetoPoint> frontier = search.Frontier();
  ASSERT_EQ(frontier.size(), 2);
  EXPECT_TRUE(frontier[0].is_measured);
  EXPECT_EQ(frontier[1].int8_layers, 0);
  EXPECT_TRUE(std::isinf(frontier[1].sqnr_db));
}

TEST_F(RecipeSearchTest, AWrongPredictionOfANanIsNoFigure) {
  noise_[{0, 1, 1}] = kNan;
  RecipeSearch search(Problem(), Budget(25), Measuring(1));
  NS_ASSERT_OK(search.Run());
  EXPECT_THAT(search.warnings(), IsEmpty());
}

TEST_F(RecipeSearchTest, CorrectsPredictionsThatAreTooHigh) {
  RecipeSearch search(Problem(), Budget(25), Measuring(0.1));
  NS_ASSERT_OK(search.Run());
  ASSERT_EQ(search.chosen(), 1);
  EXPECT_EQ(ChoicesOf(search)[1], (RecipeChoices{1, 1, 1}));
}

// Its noise was measured, and is not that of the correction of a later one.
TEST_F(RecipeSearchTest, NeverGoesBackToARefusedRecipe) {
  noise_[{0, 1, 1}] = 0.1;
  noise_[{0, 0, 1}] = 1e-6;
  RecipeSearch search(Problem(), Budget(25), Measuring(1));
  NS_ASSERT_OK(search.Run());
  const std::vector<RecipeChoices> tried = ChoicesOf(search);
  for (size_t i = 0; i < tried.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(tried[i], tried[j]);
    }
  }
  EXPECT_TRUE(search.verified()[search.chosen()].keeps_budget);
}

TEST_F(RecipeSearchTest, NanKeepsNoBudget) {
  noise_[{0, 1, 1}] = kNan;
  RecipeSearch search(Problem(), Budget(25), Measuring(1));
  NS_ASSERT_OK(search.Run());
  EXPECT_FALSE(search.verified()[0].keeps_budget);
  EXPECT_NE(search.verified()[search.chosen()].choices,
            (RecipeChoices{0, 1, 1}));
}

TEST_F(RecipeSearchTest, SaysTheBestThatWasMeasured) {
  RecipeSearch search(Problem(), Budget(60), Measuring(1));
  const absl::Status status = search.Run();
  EXPECT_TRUE(absl::IsOutOfRange(status));
  EXPECT_EQ(status.message(),
            "no measured recipe meets 60 dB; the best reaches 40.0 dB, "
            "with 1 of 3 layers in int8; lower --budget");
}

TEST_F(RecipeSearchTest, SaysThatFloatIsFastest) {
  RecipeSearch search(Problem(/*saved=*/-1), Budget(1), Measuring(1));
  const absl::Status status = search.Run();
  EXPECT_TRUE(absl::IsOutOfRange(status));
  EXPECT_THAT(status.message(),
              HasSubstr("faster on this machine than the float model, which "
                        "takes 10 us"));
}

// All lose 11 % and more but one: that loses 0.1 %.
TEST_F(RecipeSearchTest, LabelsGoOnToLessNoise) {
  RecipeSearch search(Problem(), {std::nullopt, 0.5}, Measuring(1));
  NS_ASSERT_OK(search.Run());
  ASSERT_GE(search.verified().size(), 2);
  EXPECT_EQ(search.verified()[0].choices, (RecipeChoices{1, 1, 1}));
  EXPECT_FALSE(search.verified()[0].keeps_budget);
  EXPECT_LT(search.verified()[0].p_value, kSignificance);
  const VerifiedRecipe& chosen = search.verified()[search.chosen()];
  EXPECT_EQ(chosen.choices, (RecipeChoices{0, 0, 1}));
  EXPECT_TRUE(chosen.keeps_budget);
}

// The second limit is below the noise of all recipes: the most exact one is
// measured nevertheless, and keeps the drop.
TEST_F(RecipeSearchTest, LabelsMeasureTheMostExactRecipeToo) {
  RecipeProblem problem = Problem();
  problem.cost = [](const RecipeChoices& choices) {
    const int count = choices[0] + choices[1] + choices[2];
    return RecipeCost{count == 0 ? 0 : 1 + 0.1 * count, 10.0 - count};
  };
  const RecipeSearch::Measure measure = Measuring(1);
  RecipeSearch search(
      problem, {std::nullopt, 0.5}, [&](const RecipeChoices& choices) {
        // As if the layers in float were the third and the second.
        return measure({choices[2] * choices[1], 0, choices[0]});
      });
  NS_ASSERT_OK(search.Run());
  ASSERT_EQ(search.verified().size(), 2);
  EXPECT_FALSE(search.verified()[0].keeps_budget);
  EXPECT_TRUE(search.verified()[1].keeps_budget);
}

// As where another candidate makes sums saturate.
// Each of three tries takes a sixteenth of the noise of the one before, and all
// samples are lost down to the noise of the last layer.
TEST_F(RecipeSearchTest, TheMostExactRecipeComesAfterThreeTries) {
  constexpr double kNoise[] = {1, 0.06, 0.0037, 0.0002, 0.00001};
  const auto noise_of = [&](const RecipeChoices& choices) {
    double noise = 0;
    for (size_t i = 0; i < choices.size(); ++i) {
      noise += kNoise[i] * choices[i];
    }
    return noise;
  };
  const RecipeProblem problem = {
      {2, 2, 2, 2, 2}, [&](const RecipeChoices& choices) {
        return RecipeCost{
            noise_of(choices),
            10.0 - std::accumulate(choices.begin(), choices.end(), 0)};
      }};
  RecipeSearch search(
      problem, {std::nullopt, 0.5},
      [&](const RecipeChoices& choices) -> absl::StatusOr<MeasuredRecipe> {
        MeasuredRecipe recipe{{FloatModel({"return x"}), {}}, 0, {}, ""};
        recipe.noise = noise_of(choices);
        recipe.top1.samples = recipe.top1.float_correct = 1000;
        recipe.top1.lost = recipe.noise > 0.00015 ? 1000 : 0;
        recipe.top1.quantized_correct = 1000 - recipe.top1.lost;
        return recipe;
      });
  NS_ASSERT_OK(search.Run());
  EXPECT_EQ(ChoicesOf(search).size(), kVerifications);
  EXPECT_EQ(ChoicesOf(search).back(), (RecipeChoices{0, 0, 0, 0, 1}));
  EXPECT_EQ(search.chosen(), kVerifications - 1);
}

TEST_F(RecipeSearchTest, WhatNoPredictionIsForIsNotTried) {
  const auto unforeseen = [](const RecipeChoices& choices) {
    return choices[0] + choices[1] == 2;
  };
  RecipeProblem problem = Problem();
  problem.cost = [&, cost = problem.cost](const RecipeChoices& choices) {
    RecipeCost sum = cost(choices);
    sum.noise += unforeseen(choices) ? NoiseRows::kUnbounded : 0;
    return sum;
  };
  for (const RecipeLimit& limit :
       {RecipeLimit{5, std::nullopt}, RecipeLimit{std::nullopt, 90}}) {
    RecipeSearch search(problem, limit, Measuring(1));
    NS_ASSERT_OK(search.Run());
    for (const VerifiedRecipe& verified : search.verified()) {
      EXPECT_FALSE(unforeseen(verified.choices));
    }
    for (const ParetoPoint& point : search.Frontier()) {
      EXPECT_GT(point.sqnr_db, 0);
      EXPECT_LT(point.int8_layers, 3);
    }
  }
}

TEST_F(RecipeSearchTest, OutputsThatCannotBeComparedAreRefusedWithAWarning) {
  const RecipeSearch::Measure measure = Measuring(1);
  RecipeSearch search(
      Problem(), Budget(25),
      [&](const RecipeChoices& choices) -> absl::StatusOr<MeasuredRecipe> {
        MeasuredRecipe recipe = OrThrow(measure(choices));
        recipe.noise = kNan;
        recipe.mismatch = "batch 3: another shape";
        return recipe;
      });
  const absl::Status status = search.Run();
  EXPECT_TRUE(absl::IsOutOfRange(status));
  EXPECT_THAT(status.message(), HasSubstr("of another shape"));
  EXPECT_THAT(search.warnings().front(), HasSubstr("batch 3"));
}

TEST_F(RecipeSearchTest, ErrorsOfMeasuringEndIt) {
  RecipeSearch search(Problem(), Budget(25), [](const RecipeChoices&) {
    return absl::StatusOr<MeasuredRecipe>(
        absl::InvalidArgumentError("batch 2: no"));
  });
  EXPECT_EQ(search.Run().message(), "batch 2: no");
}

}  // namespace
}  // namespace ns
