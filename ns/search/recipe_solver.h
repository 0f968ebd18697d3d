// Finds the cheapest of many recipes whose noise stays below a limit.
#ifndef NS_SEARCH_RECIPE_SOLVER_H_
#define NS_SEARCH_RECIPE_SOLVER_H_

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ns {

// What a recipe costs. `noise` has no unit, `time` any.
struct RecipeCost {
  double noise = 0;
  double time = 0;
};

struct Recipe {
  // For each layer, one of its choices, from 0 on.
  std::vector<int> choices;
  RecipeCost cost;
};

// A knapsack whose items have to do with each other: what one choice adds to
// the noise and to the time depends on its neighbours'. So all that is known is
// the cost of a whole recipe.
struct RecipeProblem {
  // How many choices each layer has.
  std::vector<int> choices;
  // Must give the same for the same recipe. It is asked for each at most once.
  std::function<RecipeCost(const std::vector<int>& recipe)> cost;
};

// Solves problems that differ in the limit alone; what was asked for one is
// known to the next.
//
// It begins with the cheapest recipe that it finds, whatever its noise, and
// then takes, one at a time, the change of one layer that saves the most noise
// for the time that it costs, until no change saves noise: that path has a
// recipe for each limit, the frontier. The first one within a limit, and the
// last one, are then made cheaper, by changes of one layer and of two at once
// that stay within it. Where the path has none, that is done from the first
// choices of all layers.
class RecipeSolver {
 public:
  explicit RecipeSolver(RecipeProblem problem);

  // The recipes of the path that no other one beats in noise and time, by
  // rising time.
  std::vector<Recipe> Frontier();

  // The cheapest recipe found with at most this noise; nothing where there is
  // none.
  std::optional<Recipe> Solve(double most_noise);

  // Says that a recipe is not to be had, whatever its noise: Solve returns it
  // no more.
  void Refuse(const std::vector<int>& choices) { refused_.insert(choices); }

 private:
  RecipeCost CostOf(const std::vector<int>& choices);
  // Calls `visit` with all recipes that differ from `recipe` in one layer.
  template <typename Visit>
  void ForEachChange(const Recipe& recipe, const Visit& visit);
  Recipe Cheapest();
  void FindPath();
  bool IsWithin(const Recipe& recipe, double most_noise) const {
    return recipe.cost.noise <= most_noise &&
           refused_.count(recipe.choices) == 0;
  }
  void Improve(Recipe& recipe, double most_noise);
  bool ImproveOne(Recipe& recipe, double most_noise);
  bool ImproveTwo(Recipe& recipe, double most_noise);

  RecipeProblem problem_;
  std::map<std::vector<int>, RecipeCost> known_;
  std::set<std::vector<int>> refused_;
  // Empty until it was found.
  std::vector<Recipe> path_;
};

}  // namespace ns

#endif  // NS_SEARCH_RECIPE_SOLVER_H_
