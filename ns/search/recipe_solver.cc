#include "ns/search/recipe_solver.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"

namespace ns {
namespace {

// So many changes that save the most time, and so many that save the most
// noise, are tried in pairs.
constexpr size_t kPaired = 10;
// Times that differ by less than this part of the whole are equal.
constexpr double kLeastPart = 1e-9;

struct Change {
  size_t layer = 0;
  int choice = 0;
  // How much noise it saves for the time that it costs.
  double score = 0;
};

double ScoreOf(const RecipeCost& now, const RecipeCost& then) {
  const double gain = now.noise - then.noise;
  return gain / std::max(then.time - now.time, now.time * kLeastPart);
}

Recipe With(const Recipe& recipe, size_t layer, int choice) {
  Recipe changed{recipe.choices, {}};
  changed.choices[layer] = choice;
  return changed;
}

}  // namespace

RecipeSolver::RecipeSolver(RecipeProblem problem)
    : problem_(std::move(problem)) {}

RecipeCost RecipeSolver::CostOf(const std::vector<int>& choices) {
  const auto [found, is_new] = known_.insert({choices, {}});
  if (is_new) {
    found->second = problem_.cost(choices);
  }
  return found->second;
}

template <typename Visit>
void RecipeSolver::ForEachChange(const Recipe& recipe, const Visit& visit) {
  for (size_t layer = 0; layer < problem_.choices.size(); ++layer) {
    for (int choice = 0; choice < problem_.choices[layer]; ++choice) {
      if (choice != recipe.choices[layer]) {
        Recipe changed = With(recipe, layer, choice);
        changed.cost = CostOf(changed.choices);
        visit(std::move(changed), layer, choice);
      }
    }
  }
}

Recipe RecipeSolver::Cheapest() {
  Recipe best{std::vector<int>(problem_.choices.size(), 0), {}};
  for (size_t layer = 0; layer < problem_.choices.size(); ++layer) {
    // The last choice is as good a guess as any: layers that are not float save
    // the casts of their neighbours, too.
    best.choices[layer] = problem_.choices[layer] - 1;
  }
  best.cost = CostOf(best.choices);
  Improve(best, std::numeric_limits<double>::infinity());
  return best;
}

void RecipeSolver::FindPath() {
  path_ = {Cheapest()};
  Recipe now = path_.front();
  std::vector<Change> changes;
  const auto by_score = [](const Change& a, const Change& b) {
    return a.score > b.score;
  };
  ForEachChange(now, [&](const Recipe& changed, size_t layer, int choice) {
    changes.push_back({layer, choice, ScoreOf(now.cost, changed.cost)});
  });
  while (!changes.empty()) {
    // Scores of earlier recipes tell which changes are worth another look.
    absl::c_stable_sort(changes, by_score);
    std::optional<Change> best;
    for (Change& change : changes) {
      if (best && best->score >= change.score) {
        break;
      }
      if (change.choice == now.choices[change.layer]) {
        continue;
      }
      change.score = ScoreOf(
          now.cost, CostOf(With(now, change.layer, change.choice).choices));
      if (change.score > 0 && (!best || change.score > best->score)) {
        best = change;
      }
    }
    if (!best) {
      return;
    }
    const int before = now.choices[best->layer];
    now = With(now, best->layer, best->choice);
    now.cost = CostOf(now.choices);
    path_.push_back(now);
    // The way back is a change like others.
    const Change back = {best->layer, before, 0};
    if (absl::c_none_of(changes, [&](const Change& change) {
          return change.layer == back.layer && change.choice == back.choice;
        })) {
      changes.push_back(back);
    }
  }
}

Recipe RecipeSolver::FirstChoices() {
  Recipe recipe{std::vector<int>(problem_.choices.size(), 0), {}};
  recipe.cost = CostOf(recipe.choices);
  return recipe;
}

std::vector<Recipe> RecipeSolver::Frontier() {
  if (path_.empty()) {
    FindPath();
  }
  std::vector<Recipe> sorted;
  sorted.reserve(known_.size());
  for (const auto& [choices, cost] : known_) {
    sorted.push_back({choices, cost});
  }
  absl::c_stable_sort(sorted, [](const Recipe& a, const Recipe& b) {
    return std::pair(a.cost.time, a.cost.noise) <
           std::pair(b.cost.time, b.cost.noise);
  });
  std::vector<Recipe> frontier;
  for (Recipe& recipe : sorted) {
    if (frontier.empty() || recipe.cost.noise < frontier.back().cost.noise) {
      frontier.push_back(std::move(recipe));
    }
  }
  return frontier;
}

bool RecipeSolver::ImproveOne(Recipe& recipe, double most_noise) {
  Recipe best = recipe;
  ForEachChange(recipe, [&](const Recipe& changed, size_t, int) {
    if (IsWithin(changed, most_noise) &&
        changed.cost.time < best.cost.time * (1 - kLeastPart)) {
      best = changed;
    }
  });
  const bool is_better = best.cost.time < recipe.cost.time;
  recipe = std::move(best);
  return is_better;
}

bool RecipeSolver::ImproveTwo(Recipe& recipe, double most_noise) {
  struct Candidate {
    size_t layer;
    int choice;
    RecipeCost cost;
  };
  std::vector<Candidate> all;
  ForEachChange(recipe, [&](const Recipe& changed, size_t layer, int choice) {
    all.push_back({layer, choice, changed.cost});
  });
  const auto first_by = [&](double RecipeCost::*field) {
    std::vector<Candidate> sorted = all;
    absl::c_stable_sort(sorted, [&](const Candidate& a, const Candidate& b) {
      return a.cost.*field < b.cost.*field;
    });
    sorted.resize(std::min(sorted.size(), kPaired));
    return sorted;
  };
  const std::vector<Candidate> fast = first_by(&RecipeCost::time);
  const std::vector<Candidate> exact = first_by(&RecipeCost::noise);
  for (const Candidate& a : fast) {
    for (const Candidate& b : exact) {
      if (a.layer == b.layer) {
        continue;
      }
      Recipe changed = With(With(recipe, a.layer, a.choice), b.layer, b.choice);
      changed.cost = CostOf(changed.choices);
      if (IsWithin(changed, most_noise) &&
          changed.cost.time < recipe.cost.time * (1 - kLeastPart)) {
        recipe = std::move(changed);
        return true;
      }
    }
  }
  return false;
}

void RecipeSolver::Improve(Recipe& recipe, double most_noise) {
  while (ImproveOne(recipe, most_noise) || ImproveTwo(recipe, most_noise)) {
  }
}

std::optional<Recipe> RecipeSolver::Solve(double most_noise) {
  if (path_.empty()) {
    FindPath();
  }
  const auto is_quiet = [&](const Recipe& recipe) {
    return IsWithin(recipe, most_noise);
  };
  std::optional<Recipe> best;
  for (const auto& [choices, cost] : known_) {
    if ((!best || cost.time < best->cost.time) && is_quiet({choices, cost})) {
      best = Recipe{choices, cost};
    }
  }
  if (!best) {
    // As where a known recipe was refused that is said to have no noise.
    Recipe first = FirstChoices();
    if (is_quiet(first)) {
      best = std::move(first);
    }
  }
  if (best) {
    Improve(*best, most_noise);
  }
  // From the other end, too.
  if (Recipe other = path_.back(); is_quiet(other)) {
    Improve(other, most_noise);
    if (other.cost.time < best->cost.time) {
      best = std::move(other);
    }
  }
  return best;
}

}  // namespace ns
