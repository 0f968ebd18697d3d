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

// The most recipes that a search measures: one less by what is predicted, and
// the most exact one where none of these keeps the limit.
inline constexpr int kVerifications = 4;

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

  // With budget_db, finds the cheapest recipe that is predicted to keep it, and
  // measures that. Where it misses the budget, or is better than it has to be,
  // predictions are corrected, and another one is tried. With max_drop, begins
  // with the cheapest recipe of all, and goes on to less noise until one keeps
  // the limit. A recipe that has missed the limit is not tried again. Where
  // none keeps it, the one with the least predicted noise that quantizes a
  // layer is measured as well.
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

  // The recipes that none beats in both figures, by rising time, without those
  // whose noise has no bound (NoiseRows). Predictions are corrected by all that
  // was measured.
  std::vector<ParetoPoint> Frontier();

  // Why outputs of recipes could not be compared.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  bool IsVerified(const RecipeChoices& choices) const;
  // Measures `recipe`. The last of verified_ has its figures.
  absl::Status Verify(const Recipe& recipe);
  absl::Status SearchByBudget();
  absl::Status SearchByLabels();
  absl::Status VerifyMostExact();
  absl::Status Unmet();

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
