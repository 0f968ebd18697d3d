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

// What a recipe costs. `noise` is in the unit of the limits, `time` in any.
struct RecipeCost {
  double noise = 0;
  double time = 0;
};

struct Recipe {
  // The choice that each layer has: 0 to RecipeProblem::choices[layer] - 1.
  std::vector<int> choices;
  RecipeCost cost;
};

// A knapsack whose items depend on each other: what the choice of one layer
// adds to the noise and to the time depends on the choices of its neighbours.
// So only the cost of a whole recipe is known.
struct RecipeProblem {
  // How many choices each layer has, at least one. Choice 0 should be the one
  // with the least noise, such as float: Solve falls back to it. The last one
  // should be fast: the search starts there.
  std::vector<int> choices;
  // Returns the cost of a recipe, which must not change. It is called at most
  // once for each recipe.
  std::function<RecipeCost(const std::vector<int>& recipe)> cost;
};

// Solves one problem for any number of limits. It remembers all costs, so that
// later limits need fewer of them.
//
// It begins with the cheapest recipe that it finds, whatever its noise. Then it
// changes one layer at a time, each time the one that saves the most noise for
// the time that it costs, until no change saves noise. These recipes are the
// path. For a limit, Solve takes the cheapest recipe within it of all whose
// cost is known, and the last one of the path, and makes both cheaper by
// changes of one layer, and of two at once, that stay within the limit. The
// cheaper result wins. Where no known recipe is within the limit, it starts
// from choice 0 of all layers.
class RecipeSolver {
 public:
  explicit RecipeSolver(RecipeProblem problem);

  // Of all recipes whose cost is known, those that no other one beats in noise
  // and time, by rising time; also those that were refused. These are the path
  // and what Solve has come by. The path alone is far from the best recipes
  // where noise only falls when several layers change, as around a sum whose
  // terms are rounded for several layers. The more limits were solved, the
  // better the frontier.
  std::vector<Recipe> Frontier();

  // The recipe with choice 0 of all layers.
  Recipe FirstChoices();

  // The cheapest recipe found with at most this noise; nothing where there is
  // none.
  std::optional<Recipe> Solve(double most_noise);

  // Rules a recipe out, whatever its cost: Solve does not return it any more.
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
