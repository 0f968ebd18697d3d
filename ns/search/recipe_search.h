// Measures recipes, the cheapest first, until one keeps a limit.
#ifndef NS_SEARCH_RECIPE_SEARCH_H_
#define NS_SEARCH_RECIPE_SEARCH_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/search/noise_correction.h"
#include "ns/search/recipe_runner.h"
#include "ns/search/recipe_solver.h"
#include "ns/search/search_result.h"
#include "ns/search/search_space.h"

namespace ns {

// What a recipe has to keep. Exactly one of the two is set.
struct RecipeLimit {
  // The least SQNR in dB.
  std::optional<double> budget_db;
  // How many points of top-1 may be lost. A recipe keeps it unless its drop is
  // significantly above it (paired_test.h).
  std::optional<double> max_drop;
};

// The most recipes that a search measures until one keeps the limit: one less
// by what is predicted, and the most exact one where none of these does.
inline constexpr int kVerifications = 4;

// How many more recipes are measured for the frontier, at most.
inline constexpr int kFrontierMeasurements = 4;

// A prediction that is farther from what is measured, in dB, is a reason to
// measure more.
inline constexpr double kSurpriseDb = 3;

// Choice 0 of each layer is float; the recipe of these alone is not measured.
class RecipeSearch {
 public:
  // Makes the model of a recipe and measures it.
  using Measure =
      std::function<absl::StatusOr<MeasuredRecipe>(const RecipeChoices&)>;

  RecipeSearch(RecipeProblem problem, const RecipeLimit& limit, Measure measure)
      : solver_(std::move(problem)),
        limit_(limit),
        measure_(std::move(measure)) {}

  // First solves for limits from the cheapest recipe on, for the frontier and
  // because what is known of others helps with each limit.
  //
  // With budget_db, finds the cheapest recipe that is predicted to keep it, and
  // measures that. Where it misses the budget, or is better than it has to be,
  // predictions are corrected, and another one is tried. With max_drop, begins
  // with the cheapest recipe of all, and goes on to less noise until one keeps
  // the limit. A recipe that has missed the limit is not tried again. Where
  // none keeps it, the one with the least predicted noise that quantizes a
  // layer is measured as well.
  //
  // Where the prediction of a recipe was off by more than kSurpriseDb, there is
  // a warning, and more of the frontier is measured, kFrontierMeasurements
  // recipes at most: each time the one that is farthest, in dB, from all that
  // were measured, if that is more than 1 dB. A recipe that is predicted to be
  // cheaper and more exact than the chosen one is measured in any case, and
  // chosen if it keeps the limit.
  //
  // Errors: those of `measure`; an out-of-range error where none keeps the
  // limit, with the best that was measured, and where none is cheaper than
  // float.
  absl::Status Run();

  // The recipes in the order in which they were measured, and the index of the
  // cheapest one that keeps the limit, once Run has succeeded.
  const std::vector<VerifiedRecipe>& verified() const { return verified_; }
  size_t chosen() const { return chosen_; }
  // The model of the chosen one, after Run; once.
  QuantizedModel TakeModel() { return *std::move(best_); }

  // The recipes that no other one beats in both figures, by rising time,
  // without those whose noise has no bound (NoiseRows): the chosen one, others
  // that were measured, and those that are predicted to be at least 0.1 dB more
  // exact than the one before. What is measured counts more than a prediction:
  // where a prediction would beat the chosen recipe, it is left out.
  std::vector<ParetoPoint> Frontier();

  // Why outputs of recipes could not be compared, and predictions that were
  // wrong.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  bool IsVerified(const RecipeChoices& choices) const;
  // Measures `recipe`. The last of verified_ has its figures.
  absl::Status Verify(const Recipe& recipe);
  absl::Status SearchByBudget();
  absl::Status SearchByLabels();
  absl::Status VerifyMostExact();
  absl::Status Unmet();
  // Solves for limits between the recipes with the most and the least noise.
  void Explore();
  // Measures recipes of the frontier.
  absl::Status VerifyFrontier();
  // Of the recipes that the solver knows, the one to be measured next for the
  // frontier; nothing where none is worth it.
  std::optional<Recipe> NextOfFrontier(bool is_surprised);
  // The one of verified_ whose prediction was farthest from what was measured,
  // if that is more than kSurpriseDb; null for none.
  const VerifiedRecipe* Surprise() const;
  double CorrectedDb(const Recipe& recipe) const;

  RecipeSolver solver_;
  const RecipeLimit limit_;
  const Measure measure_;
  NoiseCorrection correction_;
  std::vector<VerifiedRecipe> verified_;
  size_t chosen_ = 0;
  // The model of the chosen one.
  std::optional<QuantizedModel> best_;
  std::vector<std::string> warnings_;
};

}  // namespace ns

#endif  // NS_SEARCH_RECIPE_SEARCH_H_
