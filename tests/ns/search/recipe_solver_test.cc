#include "ns/search/recipe_solver.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Not;

// Layers in a row, whose noise is that of events which have to do with each
// other, and whose neighbours cost a cast where one is float (choice 0).
class Instance {
 public:
  Instance(unsigned seed, int layers, int choices)
      : random_(seed), layers_(layers), choices_(choices) {
    std::uniform_real_distribution<double> uniform(0, 1);
    const int rows = 20;
    for (int i = 0; i < layers; ++i) {
      const double size = std::pow(10, 2 * uniform(random_));
      float_time_.push_back(1 + 4 * uniform(random_));
      for (int choice = 0; choice < choices; ++choice) {
        std::vector<double> column;
        std::normal_distribution<double> normal(0.2, 1);
        for (int row = 0; row < rows; ++row) {
          column.push_back(choice == 0 ? 0 : size / choice * normal(random_));
        }
        events_.push_back(column);
        time_.push_back(choice == 0
                            ? float_time_.back()
                            : float_time_.back() *
                                  (0.2 + 0.2 * choice * uniform(random_)));
      }
    }
  }

  RecipeCost CostOf(const std::vector<int>& recipe) const {
    std::vector<double> sums(events_[0].size());
    RecipeCost cost;
    for (int i = 0; i < layers_; ++i) {
      const size_t at = static_cast<size_t>(i * choices_ + recipe[i]);
      cost.time += time_[at];
      if (i > 0 && (recipe[i] == 0) != (recipe[i - 1] == 0)) {
        cost.time += 0.3;
      }
      for (size_t row = 0; row < sums.size(); ++row) {
        sums[row] += events_[at][row];
      }
    }
    for (const double sum : sums) {
      cost.noise += sum * sum;
    }
    return cost;
  }

  RecipeProblem Problem() const {
    return {std::vector<int>(static_cast<size_t>(layers_), choices_),
            [this](const std::vector<int>& recipe) { return CostOf(recipe); }};
  }

  // The least time of all recipes with at most this noise; infinite for none.
  double BestTime(double most_noise) const {
    double best = std::numeric_limits<double>::infinity();
    std::vector<int> recipe(static_cast<size_t>(layers_), 0);
    bool is_done = false;
    while (!is_done) {
      const RecipeCost cost = CostOf(recipe);
      if (cost.noise <= most_noise && cost.time < best) {
        best = cost.time;
      }
      size_t i = 0;
      while (i < recipe.size() && ++recipe[i] == choices_) {
        recipe[i++] = 0;
      }
      is_done = i == recipe.size();
    }
    return best;
  }

 private:
  std::mt19937 random_;
  int layers_;
  int choices_;
  std::vector<double> float_time_;
  // By layer and choice.
  std::vector<std::vector<double>> events_;
  std::vector<double> time_;
};

// The recipe keeps the limit, its cost is what it says, and it is not much
// dearer than the best of all.
TEST(RecipeSolverTest, IsNearlyAsGoodAsTryingAll) {
  double ratio = 0;
  int solved = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Instance instance(seed, 7, seed % 2 == 0 ? 2 : 3);
    RecipeSolver solver(instance.Problem());
    const double all =
        instance.CostOf(std::vector<int>(7, seed % 2 == 0 ? 1 : 2)).noise;
    for (const double part : {1.0, 0.3, 0.1, 0.01}) {
      const std::optional<Recipe> recipe = solver.Solve(all * part);
      ASSERT_TRUE(recipe.has_value());
      const RecipeCost cost = instance.CostOf(recipe->choices);
      EXPECT_EQ(cost.noise, recipe->cost.noise);
      EXPECT_EQ(cost.time, recipe->cost.time);
      EXPECT_LE(cost.noise, all * part);
      const double best = instance.BestTime(all * part);
      EXPECT_LE(cost.time, best * 1.25) << "seed " << seed << ", " << part;
      ratio += cost.time / best;
      ++solved;
    }
  }
  EXPECT_LT(ratio / solved, 1.02);
}

TEST(RecipeSolverTest, TheFrontierHasNoRecipeThatAnotherBeats) {
  const Instance instance(3, 8, 2);
  RecipeSolver solver(instance.Problem());
  const std::vector<Recipe> frontier = solver.Frontier();
  ASSERT_GT(frontier.size(), 3);
  for (size_t i = 1; i < frontier.size(); ++i) {
    EXPECT_GT(frontier[i].cost.time, frontier[i - 1].cost.time);
    EXPECT_LT(frontier[i].cost.noise, frontier[i - 1].cost.noise);
  }
  EXPECT_THAT(frontier.back().choices, Each(0));
  EXPECT_EQ(frontier.back().cost.noise, 0);
}

// What was found for a limit is on the frontier, or beaten by what is.
TEST(RecipeSolverTest, TheFrontierKnowsWhatWasSolved) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Instance instance(seed, 12, 2);
    RecipeSolver solver(instance.Problem());
    const double all = instance.CostOf(std::vector<int>(12, 1)).noise;
    std::vector<RecipeCost> solved;
    for (const double part : {0.7, 0.2, 0.05, 0.01}) {
      solved.push_back(solver.Solve(all * part)->cost);
    }
    const std::vector<Recipe> frontier = solver.Frontier();
    for (const RecipeCost& cost : solved) {
      EXPECT_TRUE(std::any_of(frontier.begin(), frontier.end(),
                              [&](const Recipe& recipe) {
                                return recipe.cost.noise <= cost.noise &&
                                       recipe.cost.time <= cost.time;
                              }))
          << seed;
    }
  }
}

TEST(RecipeSolverTest, AskesForEachRecipeOnce) {
  const Instance instance(5, 6, 2);
  RecipeProblem problem = instance.Problem();
  std::map<std::vector<int>, int> asked;
  problem.cost = [&](const std::vector<int>& recipe) {
    ++asked[recipe];
    return instance.CostOf(recipe);
  };
  RecipeSolver solver(problem);
  solver.Frontier();
  solver.Solve(1);
  solver.Solve(10);
  for (const auto& [recipe, count] : asked) {
    EXPECT_EQ(count, 1);
  }
}

TEST(RecipeSolverTest, LayersThatAreSlowerInInt8StayFloat) {
  RecipeProblem problem;
  problem.choices = {2, 2};
  problem.cost = [](const std::vector<int>& recipe) {
    return RecipeCost{
        static_cast<double>(recipe[0] + recipe[1]),
        (recipe[0] == 1 ? 9.0 : 5.0) + (recipe[1] == 1 ? 2.0 : 5.0)};
  };
  RecipeSolver solver(problem);
  const std::optional<Recipe> recipe = solver.Solve(2);
  ASSERT_TRUE(recipe.has_value());
  EXPECT_THAT(recipe->choices, ElementsAre(0, 1));
}

TEST(RecipeSolverTest, NeverReturnsWhatWasRefused) {
  const Instance instance(7, 6, 3);
  RecipeSolver solver(instance.Problem());
  const double limit = instance.CostOf(std::vector<int>(6, 2)).noise;
  std::vector<std::vector<int>> refused;
  for (int i = 0; i < 5; ++i) {
    const std::optional<Recipe> recipe = solver.Solve(limit);
    ASSERT_TRUE(recipe.has_value());
    EXPECT_THAT(refused, Not(Contains(recipe->choices)));
    EXPECT_LE(recipe->cost.noise, limit);
    refused.push_back(recipe->choices);
    solver.Refuse(recipe->choices);
  }
}

// No change saves noise: there is none.
TEST(RecipeSolverTest, FindsAnotherRecipeWhereAllSeemExact) {
  RecipeProblem problem;
  problem.choices = {2, 2};
  problem.cost = [](const std::vector<int>& recipe) {
    return RecipeCost{0, 10.0 - 2 * recipe[0] - recipe[1]};
  };
  RecipeSolver solver(problem);
  for (const std::vector<int>& expected :
       {std::vector<int>{1, 1}, {1, 0}, {0, 1}, {0, 0}}) {
    const std::optional<Recipe> recipe = solver.Solve(1);
    ASSERT_TRUE(recipe.has_value());
    EXPECT_EQ(recipe->choices, expected);
    solver.Refuse(expected);
  }
  EXPECT_FALSE(solver.Solve(1).has_value());
}

TEST(RecipeSolverTest, HasNothingWhereEveryRecipeIsTooNoisy) {
  RecipeProblem problem;
  problem.choices = {1, 1};
  problem.cost = [](const std::vector<int>&) { return RecipeCost{3, 1}; };
  RecipeSolver solver(problem);
  EXPECT_FALSE(solver.Solve(2).has_value());
  EXPECT_TRUE(solver.Solve(3).has_value());
}

}  // namespace
}  // namespace ns
