#include "ns/report/comparison_diff.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

using LayersByName = std::map<absl::string_view, const LayerComparison*>;

// The figures that drops are judged by, the first that there is.
constexpr std::array kJudged = {Figure::kActivation, Figure::kShadow,
                                Figure::kKernel, Figure::kWeight};

// How much wider than one standard error.
constexpr double kErrors = 2;

LayersByName ByName(const ComparisonResult& result) {
  LayersByName layers;
  for (const LayerComparison& layer : result.layers) {
    layers.emplace(layer.name, &layer);
  }
  return layers;
}

std::vector<std::string> Without(const ComparisonResult& result,
                                 const LayersByName& others) {
  std::vector<std::string> names;
  for (const LayerComparison& layer : result.layers) {
    if (others.count(layer.name) == 0) {
      names.push_back(layer.name);
    }
  }
  return names;
}

// The sum of squares of the standard error, s^2 / n; 0 for fewer than two.
double SquaredError(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) {
    return 0;
  }
  double mean = 0;
  for (const double value : values) {
    mean += value / n;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return squares / (n - 1) / n;
}

std::vector<double> FiniteOf(const std::vector<double>& values) {
  std::vector<double> finite;
  absl::c_copy_if(values, std::back_inserter(finite),
                  [](double value) { return std::isfinite(value); });
  return finite;
}

class Differ {
 public:
  explicit Differ(std::vector<FigureChange>& changes) : changes_(changes) {}

  void Add(const LayerComparison& a, const LayerComparison& b) {
    layer_ = b.name;
    AddWeights(a, b);
    AddActivations("", Figure::kActivation, a.activation, b.activation);
    AddActivations("", Figure::kShadow, a.shadow, b.shadow);
    AddActivations("", Figure::kKernel, a.kernel, b.kernel);
    for (const OutputComparison& of_b : b.outputs) {
      const auto of_a =
          absl::c_find_if(a.outputs, [&](const OutputComparison& output) {
            return output.name == of_b.name;
          });
      if (of_a != a.outputs.end()) {
        AddActivations(of_b.name, Figure::kActivation, of_a->activation,
                       of_b.activation);
        AddActivations(of_b.name, Figure::kShadow, of_a->shadow, of_b.shadow);
      }
    }
  }

 private:
  void AddWeights(const LayerComparison& a, const LayerComparison& b) {
    for (const WeightComparison& of_b : b.weights) {
      const auto of_a =
          absl::c_find_if(a.weights, [&](const WeightComparison& weight) {
            return weight.name == of_b.name;
          });
      if (of_a != a.weights.end()) {
        changes_.push_back({layer_, b.weights.size() > 1 ? of_b.name : "",
                            Figure::kWeight, of_a->error.sqnr_db,
                            of_b.error.sqnr_db, 0});
      }
    }
  }

  void AddActivations(const std::string& part, Figure figure,
                      const std::optional<ActivationComparison>& a,
                      const std::optional<ActivationComparison>& b) {
    // Without elements there is no figure.
    const auto has_figure = [](const ActivationComparison& activation) {
      return activation.elements.value_or(1) > 0;
    };
    if (a && b && has_figure(*a) && has_figure(*b)) {
      changes_.push_back({layer_, part, figure, a->error.sqnr_db,
                          b->error.sqnr_db,
                          Tolerance(a->batch_sqnr_db, b->batch_sqnr_db)});
    }
  }

  std::vector<FigureChange>& changes_;
  std::string layer_;
};

// The shapes of weights tell models of one family apart.
bool IsSameLayer(const LayerComparison& a, const LayerComparison& b) {
  if (a.float_side.op != b.float_side.op) {
    return false;
  }
  return absl::c_all_of(b.weights, [&](const WeightComparison& of_b) {
    return absl::c_all_of(a.weights, [&](const WeightComparison& of_a) {
      return of_a.name != of_b.name || of_a.shape == of_b.shape;
    });
  });
}

}  // namespace

double FigureChange::Change() const {
  return a == b ? 0 : b - a;  // Of two infinities, the difference is nan.
}

bool FigureChange::IsSame() const {
  return a == b || (std::isnan(a) && std::isnan(b));
}

bool ComparisonDiff::IsEmpty() const {
  return only_a.empty() && only_b.empty() && unmatched_a == unmatched_b &&
         absl::c_all_of(changes, [](const FigureChange& change) {
           return change.IsSame();
         });
}

double Tolerance(const std::vector<double>& batches_a,
                 const std::vector<double>& batches_b) {
  if (batches_a.size() == batches_b.size()) {
    std::vector<double> differences;
    for (size_t i = 0; i < batches_a.size(); ++i) {
      differences.push_back(batches_b[i] - batches_a[i]);
    }
    return kErrors * std::sqrt(SquaredError(FiniteOf(differences)));
  }
  const std::vector<double> of_a = FiniteOf(batches_a);
  const std::vector<double> of_b = FiniteOf(batches_b);
  if (of_a.size() < 2 || of_b.size() < 2) {
    return 0;
  }
  return kErrors * std::sqrt(SquaredError(of_a) + SquaredError(of_b));
}

ComparisonDiff DiffComparisons(const ComparisonResult& a,
                               const ComparisonResult& b) {
  const LayersByName of_a = ByName(a);
  ComparisonDiff diff;
  Differ differ(diff.changes);
  for (const LayerComparison& layer : b.layers) {
    const auto found = of_a.find(layer.name);
    if (found != of_a.end()) {
      ++diff.layers_in_both;
      differ.Add(*found->second, layer);
    }
  }
  diff.only_a = Without(a, ByName(b));
  diff.only_b = Without(b, of_a);
  diff.unmatched_a = a.unmatched.size();
  diff.unmatched_b = b.unmatched.size();
  diff.batches_a = a.batches;
  diff.batches_b = b.batches;
  return diff;
}

absl::Status CheckSameModel(const ComparisonResult& baseline,
                            const ComparisonResult& result) {
  const LayersByName known = ByName(baseline);
  size_t same = 0;
  for (const LayerComparison& layer : result.layers) {
    const auto found = known.find(layer.name);
    if (found != known.end() && IsSameLayer(*found->second, layer)) {
      ++same;
    }
  }
  const size_t all = std::max(baseline.layers.size(), result.layers.size());
  if (2 * same < all || all == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "is of another model: it has ", baseline.layers.size(), " layers, and ",
        same, " of them are among the ", result.layers.size(),
        " of this comparison with the same op and weights; compare with what "
        "an earlier --json wrote for this model"));
  }
  return absl::OkStatus();
}

std::vector<LimitCheck> CheckDrops(const ComparisonDiff& diff,
                                   double max_drop_db) {
  std::vector<LimitCheck> checks;
  for (const Figure figure : kJudged) {
    for (const FigureChange& change : diff.changes) {
      if (change.figure != figure) {
        continue;
      }
      LimitCheck check;
      check.kind = LimitKind::kMaxDrop;
      check.layer = change.layer;
      check.output = change.part;
      check.figure = std::string(FigureName(figure));
      check.bound = max_drop_db;
      check.tolerance = change.tolerance;
      check.value = std::isnan(change.b) ? change.b : 0.0 - change.Change();
      // A rise from nan is no drop.
      check.passed = !std::isnan(change.b) &&
                     (std::isnan(change.a) ||
                      check.value <= max_drop_db + change.tolerance);
      if (std::isnan(change.a) && check.passed) {
        check.value = 0;
      }
      checks.push_back(check);
    }
    if (!checks.empty()) {
      return checks;
    }
  }
  LimitCheck none;
  none.kind = LimitKind::kMaxDrop;
  none.bound = max_drop_db;
  none.value = std::numeric_limits<double>::quiet_NaN();
  return {none};
}

}  // namespace ns
