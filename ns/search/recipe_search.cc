#include "ns/search/recipe_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/base/status.h"
#include "ns/accuracy/paired_test.h"
#include "passes/runtime/noise/noise_rows.h"

namespace ns {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A measured SQNR that is less than this above the budget is good enough.
constexpr double kSlackDb = 0.3;
// How many recipes are measured because of what is predicted.
constexpr int kTries = kVerifications - 1;
// What noise is taken for larger by, after a recipe that missed the budget and
// after a second one: the next recipe is to keep it.
constexpr double kCaution[kTries] = {1.03, 1.2, 1.2};
// More is of recipes that no prediction is for.
constexpr double kMostNoise = NoiseRows::kUnbounded / 2;
// What was measured is less than what was expected by more than this part, or
// another recipe gains nothing.
constexpr double kLeastCorrection = 0.03;

double ToDb(double noise) { return -10 * std::log10(noise); }
double ToNoise(double db) { return std::pow(10, -db / 10); }

int64_t CountInt8(const RecipeChoices& choices) {
  return absl::c_count_if(choices, [](int choice) { return choice != 0; });
}

// A nan is worse than all numbers.
double WorthOf(const VerifiedRecipe& recipe) {
  const double figure = recipe.top1 ? -recipe.top1->drop() : recipe.measured_db;
  return std::isnan(figure) ? -kInfinity : figure;
}

std::string FigureOf(const VerifiedRecipe& recipe) {
  return recipe.top1
             ? absl::StrFormat("a drop of %.2f points", recipe.top1->drop())
         : std::isnan(recipe.measured_db)
             ? std::string("outputs with nan, or of another shape")
             : absl::StrFormat("%.1f dB", recipe.measured_db);
}

}  // namespace

absl::Status RecipeSearch::Run() {
  NS_RETURN_IF_ERROR(limit_.max_drop ? SearchByLabels() : SearchByBudget());
  if (!best_) {
    NS_RETURN_IF_ERROR(VerifyMostExact());
  }
  return best_ ? absl::OkStatus() : Unmet();
}

bool RecipeSearch::IsVerified(const RecipeChoices& choices) const {
  return absl::c_any_of(verified_, [&](const VerifiedRecipe& one) {
    return one.choices == choices;
  });
}

absl::Status RecipeSearch::Verify(const Recipe& recipe) {
  NS_ASSIGN_OR_RETURN(MeasuredRecipe measured, measure_(recipe.choices));
  if (!measured.mismatch.empty()) {
    warnings_.push_back(
        absl::StrCat("a recipe was refused: ", measured.mismatch));
  }
  VerifiedRecipe verified;
  verified.choices = recipe.choices;
  verified.predicted_db = ToDb(correction_.Corrected(recipe.cost.noise));
  verified.predicted_us = recipe.cost.time;
  verified.measured_db = ToDb(measured.noise);
  correction_.Add(recipe.cost.noise, measured.noise);
  if (limit_.max_drop && measured.mismatch.empty()) {
    verified.top1 = measured.top1;
    verified.p_value = PValueOfDrop(*verified.top1, *limit_.max_drop);
    verified.keeps_budget = verified.p_value >= kSignificance;
  } else if (!limit_.max_drop) {
    // Not for nan, either.
    verified.keeps_budget = verified.measured_db >= *limit_.budget_db;
  }
  if (!verified.keeps_budget) {
    solver_.Refuse(recipe.choices);
  } else if (!best_ ||
             verified.predicted_us < verified_[chosen_].predicted_us) {
    best_ = std::move(measured.quantized);
    chosen_ = verified_.size();
  }
  verified_.push_back(std::move(verified));
  return absl::OkStatus();
}

absl::Status RecipeSearch::SearchByBudget() {
  double caution = 1;
  for (int i = 0; i < kTries; ++i) {
    const std::optional<Recipe> recipe = solver_.Solve(
        correction_.LimitFor(ToNoise(*limit_.budget_db) / caution));
    if (!recipe || CountInt8(recipe->choices) == 0 ||
        IsVerified(recipe->choices)) {
      break;
    }
    NS_RETURN_IF_ERROR(Verify(*recipe));
    const VerifiedRecipe& verified = verified_.back();
    if (!verified.keeps_budget) {
      caution = kCaution[i];
    } else if (verified.measured_db - *limit_.budget_db < kSlackDb ||
               ToNoise(verified.measured_db) >
                   (1 - kLeastCorrection) * ToNoise(verified.predicted_db)) {
      break;
    }
  }
  return absl::OkStatus();
}

absl::Status RecipeSearch::SearchByLabels() {
  double most_noise = kMostNoise;
  for (int i = 0; i < kTries && !best_; ++i) {
    const std::optional<Recipe> recipe = solver_.Solve(most_noise);
    if (!recipe || CountInt8(recipe->choices) == 0) {
      break;
    }
    NS_RETURN_IF_ERROR(Verify(*recipe));
    // The drop falls about as the noise does.
    const auto& top1 = verified_.back().top1;
    const double drop = top1 ? top1->drop() : 0;
    const double part = drop > 0 ? *limit_.max_drop / drop : 0;
    most_noise = recipe->cost.noise * std::clamp(part, 1.0 / 16, 1.0 / 2);
  }
  return absl::OkStatus();
}

// Measures the recipe with the least noise that quantizes something:
// predictions may have been too far off to come to it.
absl::Status RecipeSearch::VerifyMostExact() {
  const std::vector<Recipe> frontier = solver_.Frontier();
  const Recipe* most_exact = nullptr;
  for (const Recipe& recipe : frontier) {
    if (CountInt8(recipe.choices) != 0) {
      most_exact = &recipe;
    }
  }
  const bool is_new = most_exact != nullptr && !IsVerified(most_exact->choices);
  return is_new ? Verify(*most_exact) : absl::OkStatus();
}

absl::Status RecipeSearch::Unmet() {
  if (verified_.empty()) {
    return absl::OutOfRangeError(absl::StrFormat(
        "no recipe with an int8 layer is faster on this machine than the float "
        "model, which takes %.0f us for a batch; keep it in float",
        solver_.Frontier().front().cost.time));
  }
  const auto best = absl::c_max_element(
      verified_,
      [](const auto& a, const auto& b) { return WorthOf(a) < WorthOf(b); });
  return absl::OutOfRangeError(absl::StrCat(
      "no recipe that was measured keeps ",
      limit_.max_drop ? absl::StrFormat("a drop of %g points", *limit_.max_drop)
                      : absl::StrFormat("%g dB", *limit_.budget_db),
      ": the best has ", FigureOf(*best), ", with ", CountInt8(best->choices),
      " of ", best->choices.size(), " layers in int8; ",
      limit_.max_drop ? "raise --max-drop" : "lower --budget"));
}

std::vector<ParetoPoint> RecipeSearch::Frontier() {
  std::vector<ParetoPoint> points;
  for (const Recipe& recipe : solver_.Frontier()) {
    const double db = ToDb(correction_.Corrected(recipe.cost.noise));
    // Predictions that differ may be the same when corrected.
    if (recipe.cost.noise <= kMostNoise &&
        (points.empty() || db > points.back().sqnr_db)) {
      points.push_back({db, recipe.cost.time, CountInt8(recipe.choices)});
    }
  }
  return points;
}

}  // namespace ns
