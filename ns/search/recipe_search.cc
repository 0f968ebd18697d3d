#include "ns/search/recipe_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
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

// So many limits are solved for the frontier, each so much below the one
// before.
constexpr int kExplored = 8;
constexpr double kExploredStepDb = 4;
// A recipe of the frontier that is nearer, in dB, to a measured one is not
// measured. All that are more exact than kExactDb count as equal.
constexpr double kLeastGapDb = 1;
constexpr double kExactDb = 45;
// Predictions that are closer to each other make one point of the frontier.
constexpr double kClosePointsDb = 0.25;

double ToDb(double noise) { return -10 * std::log10(noise); }
double ToNoise(double db) { return std::pow(10, -db / 10); }

int64_t CountInt8(const RecipeChoices& choices) {
  return absl::c_count_if(choices, [](int choice) { return choice != 0; });
}

// How far figures are apart. What is above kExactDb is as good as exact, and
// what is below 0 is noise.
double DistanceDb(double a, double b) {
  return std::abs(std::clamp(a, 0.0, kExactDb) - std::clamp(b, 0.0, kExactDb));
}

std::string DbText(double db) {
  return std::isinf(db) && db > 0 ? std::string("equal outputs")
                                  : absl::StrFormat("%.1f dB", db);
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
             : DbText(recipe.measured_db);
}

}  // namespace

absl::Status RecipeSearch::Run() {
  Explore();
  NS_RETURN_IF_ERROR(limit_.max_drop ? SearchByLabels() : SearchByBudget());
  if (!best_) {
    NS_RETURN_IF_ERROR(VerifyMostExact());
  }
  return best_ ? VerifyFrontier() : Unmet();
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
      "no measured recipe meets ",
      limit_.max_drop ? absl::StrFormat("a drop of %g points", *limit_.max_drop)
                      : absl::StrFormat("%g dB", *limit_.budget_db),
      "; the best reaches ", FigureOf(*best), ", with ",
      CountInt8(best->choices), " of ", best->choices.size(),
      " layers in int8; ",
      limit_.max_drop ? "raise --max-drop" : "lower --budget"));
}

double RecipeSearch::CorrectedDb(const Recipe& recipe) const {
  return ToDb(correction_.Corrected(recipe.cost.noise));
}

void RecipeSearch::Explore() {
  double most_noise = 0;
  for (const Recipe& recipe : solver_.Frontier()) {
    if (recipe.cost.noise <= kMostNoise) {
      most_noise = std::max(most_noise, recipe.cost.noise);
    }
  }
  for (int i = 0; i < kExplored && most_noise > 0; ++i) {
    most_noise *= ToNoise(kExploredStepDb);
    solver_.Solve(most_noise);
  }
}

const VerifiedRecipe* RecipeSearch::Surprise() const {
  const auto error = [](const VerifiedRecipe& one) {
    // Without a bound, no figure was predicted.
    return std::isnan(one.measured_db) || one.predicted_db < ToDb(kMostNoise)
               ? 0
               : DistanceDb(one.predicted_db, one.measured_db);
  };
  const auto worst = absl::c_max_element(
      verified_,
      [&](const auto& a, const auto& b) { return error(a) < error(b); });
  return error(*worst) > kSurpriseDb ? &*worst : nullptr;
}

std::optional<Recipe> RecipeSearch::NextOfFrontier(bool is_surprised) {
  const VerifiedRecipe& chosen = verified_[chosen_];
  std::optional<Recipe> farthest;
  double most_distance = kLeastGapDb;
  for (const Recipe& recipe : solver_.Frontier()) {
    const double db = CorrectedDb(recipe);
    if (recipe.cost.noise > kMostNoise || CountInt8(recipe.choices) == 0 ||
        IsVerified(recipe.choices)) {
      continue;
    }
    if (db > chosen.measured_db && recipe.cost.time < chosen.predicted_us) {
      return recipe;
    }
    double distance = kInfinity;
    for (const VerifiedRecipe& one : verified_) {
      if (!std::isnan(one.measured_db)) {
        distance = std::min(distance, DistanceDb(one.measured_db, db));
      }
    }
    if (is_surprised && distance > most_distance) {
      most_distance = distance;
      farthest = recipe;
    }
  }
  return farthest;
}

absl::Status RecipeSearch::VerifyFrontier() {
  const size_t before = verified_.size();
  bool is_surprised = Surprise() != nullptr;
  for (int i = 0; i < kFrontierMeasurements; ++i) {
    const std::optional<Recipe> recipe = NextOfFrontier(is_surprised);
    if (!recipe) {
      break;
    }
    NS_RETURN_IF_ERROR(Verify(*recipe));
    is_surprised = is_surprised || Surprise() != nullptr;
  }
  if (const VerifiedRecipe* wrong = Surprise(); wrong != nullptr) {
    const size_t more = verified_.size() - before;
    warnings_.push_back(absl::StrCat(
        "a recipe with ", CountInt8(wrong->choices), " of ",
        wrong->choices.size(), " layers in int8 was predicted to reach ",
        DbText(wrong->predicted_db), " and reaches ",
        DbText(wrong->measured_db),
        more == 0   ? ""
        : more == 1 ? "; 1 more recipe of the frontier was measured"
                    : absl::StrCat("; ", more,
                                   " more recipes of the frontier were "
                                   "measured")));
  }
  return absl::OkStatus();
}

std::vector<ParetoPoint> RecipeSearch::Frontier() {
  const VerifiedRecipe& chosen = verified_[chosen_];
  std::vector<ParetoPoint> points;
  for (const VerifiedRecipe& one : verified_) {
    if (!std::isnan(one.measured_db)) {
      points.push_back({one.measured_db, one.predicted_us,
                        CountInt8(one.choices), /*is_measured=*/true,
                        /*is_chosen=*/&one == &chosen});
    }
  }
  std::vector<Recipe> predicted = solver_.Frontier();
  // What seems exact may have turned out not to be, but for float.
  predicted.push_back(solver_.FirstChoices());
  for (const Recipe& recipe : predicted) {
    const double db = CorrectedDb(recipe);
    const bool beats_chosen =
        db >= chosen.measured_db && recipe.cost.time <= chosen.predicted_us;
    if (recipe.cost.noise <= kMostNoise && !beats_chosen &&
        !IsVerified(recipe.choices)) {
      points.push_back({db, recipe.cost.time, CountInt8(recipe.choices)});
    }
  }
  // Of equal ones, the measured one comes first.
  absl::c_stable_sort(points, [](const ParetoPoint& a, const ParetoPoint& b) {
    return std::pair(a.time_us, -a.sqnr_db) < std::pair(b.time_us, -b.sqnr_db);
  });
  std::vector<ParetoPoint> frontier;
  for (size_t i = 0; i < points.size(); ++i) {
    const double least =
        frontier.empty() ? -kInfinity : frontier.back().sqnr_db;
    const bool is_last =
        absl::c_none_of(absl::MakeConstSpan(points).subspan(i + 1),
                        [&](const ParetoPoint& later) {
                          return later.sqnr_db > points[i].sqnr_db;
                        });
    const bool is_close = points[i].sqnr_db < least + kClosePointsDb;
    if (points[i].sqnr_db > least &&
        (!is_close || points[i].is_measured || is_last)) {
      frontier.push_back(points[i]);
    }
  }
  return frontier;
}

}  // namespace ns
