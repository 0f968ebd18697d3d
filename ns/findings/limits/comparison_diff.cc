#include "ns/findings/limits/comparison_diff.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ns/findings/outputs_of_model.h"
#include "ns/findings/table_figures.h"

namespace ns {
namespace {

using LayersByName = std::map<absl::string_view, const LayerComparison*>;

constexpr absl::string_view kStub = "stub";
constexpr absl::string_view kOutput = "output";

// OneFigure::part of what the models return; modules have none.
constexpr absl::string_view kReturned = "returned";

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

// A figure of one comparison.
struct OneFigure {
  DiffedFigure what;
  // By which it is found in the other comparison: as `what.part`, but the only
  // weight of a layer has its name here, and what the models return differs
  // from the output of a module that has the path `output`.
  std::string part;
  double db = 0;
  std::vector<double> batches_db;
};

class Figures {
 public:
  explicit Figures(std::string layer) : layer_(std::move(layer)) {}

  void AddWeights(const std::vector<WeightComparison>& weights) {
    for (const WeightComparison& weight : weights) {
      OneFigure figure = Named(weights.size() > 1 ? weight.name : "",
                               FigureName(Figure::kWeight));
      figure.part = weight.name;
      figure.db = weight.error.sqnr_db;
      figures_.push_back(std::move(figure));
    }
  }

  void Add(const std::string& part, absl::string_view name,
           const ActivationComparison& values) {
    // Without elements there is no figure.
    if (values.elements.value_or(1) == 0) {
      return;
    }
    OneFigure figure = Named(part, name);
    figure.db = values.error.sqnr_db;
    figure.batches_db = values.batch_sqnr_db;
    figures_.push_back(std::move(figure));
  }

  std::vector<OneFigure> Take() { return std::move(figures_); }

 private:
  OneFigure Named(const std::string& part, absl::string_view name) const {
    return {{layer_, part, std::string(name)}, part, 0, {}};
  }

  std::string layer_;
  std::vector<OneFigure> figures_;
};

std::vector<OneFigure> FiguresOf(const LayerComparison& layer) {
  Figures figures(layer.name);
  figures.AddWeights(layer.weights);
  const auto add = [&](const std::string& part) {
    return [&, part](const FigureKind& kind, const ActivationComparison& v) {
      figures.Add(part, kind.header, v);
    };
  };
  ForEachValues(layer, add(""));
  for (const OutputComparison& output : layer.outputs) {
    ForEachValues(output, add(output.name));
  }
  return figures.Take();
}

std::vector<OneFigure> FiguresOfModules(const ComparisonResult& result) {
  std::vector<OneFigure> all;
  const auto append = [&](std::vector<OneFigure> figures) {
    absl::c_move(figures, std::back_inserter(all));
  };
  for (const StubComparison& stub :
       result.stubs.value_or(std::vector<StubComparison>())) {
    Figures figures(stub.name);
    figures.Add("", kStub, stub.figures);
    for (const StubOutput& output : stub.outputs) {
      figures.Add(output.name, kStub, output.figures);
    }
    append(figures.Take());
  }
  for (const ModuleOutputComparison& output :
       result.outputs.value_or(std::vector<ModuleOutputComparison>())) {
    Figures figures(output.name);
    figures.Add("", kOutput, output.figures);
    std::vector<OneFigure> added = figures.Take();
    for (OneFigure& figure : added) {
      figure.what.holds_integers = output.holds_integers;
      if (output.float_type.empty()) {
        figure.part = std::string(kReturned);
      }
    }
    append(std::move(added));
  }
  return all;
}

// Layer, figure and part.
using FigureKey =
    std::tuple<absl::string_view, absl::string_view, absl::string_view>;
using FiguresByKey = std::map<FigureKey, const OneFigure*>;

FigureKey KeyOf(const OneFigure& figure) {
  return {figure.what.layer, figure.what.figure, figure.part};
}

FiguresByKey ByKey(const std::vector<OneFigure>& figures) {
  FiguresByKey by_key;
  for (const OneFigure& figure : figures) {
    by_key.emplace(KeyOf(figure), &figure);
  }
  return by_key;
}

// Adds how the figures of a layer, or of all modules, differ.
void AddFigures(const std::vector<OneFigure>& a,
                const std::vector<OneFigure>& b, ComparisonDiff& diff) {
  const FiguresByKey all_a = ByKey(a);
  const FiguresByKey all_b = ByKey(b);
  for (const OneFigure& of_b : b) {
    const auto of_a = all_a.find(KeyOf(of_b));
    if (of_a == all_a.end()) {
      diff.figures_only_b.push_back(of_b.what);
    } else {
      diff.changes.push_back(
          {of_b.what, of_a->second->db, of_b.db,
           Tolerance(of_a->second->batches_db, of_b.batches_db)});
      diff.changes.back().holds_integers |= of_a->second->what.holds_integers;
    }
  }
  for (const OneFigure& of_a : a) {
    if (all_b.count(KeyOf(of_a)) == 0) {
      diff.figures_only_a.push_back(of_a.what);
    }
  }
}

LimitCheck DropCheck(const DiffedFigure& of, double max_drop_db) {
  LimitCheck check;
  check.kind = LimitKind::kMaxDrop;
  check.layer = of.layer;
  check.output = of.part;
  check.figure = of.figure;
  check.bound = max_drop_db;
  check.value = std::numeric_limits<double>::quiet_NaN();
  return check;
}

LimitCheck CheckDrop(const FigureChange& change, double max_drop_db) {
  LimitCheck check = DropCheck(change, max_drop_db);
  check.tolerance = change.tolerance;
  if (std::isnan(change.b)) {
    return check;
  }
  // A rise from nan is no drop.
  check.value = std::isnan(change.a) ? 0 : 0.0 - change.Change();
  check.passed = check.value <= max_drop_db + change.tolerance;
  return check;
}

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

// Whether both ran as many batches, and the same samples of them.
bool RanTheSame(const ComparisonResult& a, const ComparisonResult& b) {
  const auto samples = [](const ComparisonResult& result) {
    return result.samples ? result.samples->samples : std::vector<int64_t>();
  };
  return a.batches == b.batches && a.partial == b.partial &&
         a.samples.has_value() == b.samples.has_value() &&
         samples(a) == samples(b);
}

void AddBits(const LayerComparison& a, const LayerComparison& b,
             bool ran_the_same, ComparisonDiff& diff) {
  if (!a.fingerprints || !b.fingerprints) {
    return;
  }
  if (!ran_the_same) {
    diff.fingerprints_of_other_batches = true;
    return;
  }
  if (!diff.bits) {
    diff.bits.emplace();
  }
  ++diff.bits->compared;
  if (a.fingerprints->of_float != b.fingerprints->of_float) {
    diff.bits->in_float.push_back(b.name);
  }
  if (a.fingerprints->of_quantized != b.fingerprints->of_quantized) {
    diff.bits->in_quantized.push_back(b.name);
  }
}

void AddQParams(const LayerComparison& a, const LayerComparison& b,
                ComparisonDiff& diff) {
  if (a.qparams && b.qparams &&
      (a.qparams->scale != b.qparams->scale ||
       a.qparams->zero_point != b.qparams->zero_point)) {
    diff.qparams.push_back({b.name, *a.qparams, *b.qparams});
  }
}

}  // namespace

double FigureChange::Change() const {
  return a == b ? 0 : b - a;  // Of two infinities, the difference is nan.
}

bool FigureChange::IsSame() const {
  return a == b || (std::isnan(a) && std::isnan(b));
}

bool ComparisonDiff::IsEmpty() const {
  return only_a.empty() && only_b.empty() && figures_only_a.empty() &&
         figures_only_b.empty() && unmatched_a == unmatched_b &&
         qparams.empty() &&
         (!bits || (bits->in_float.empty() && bits->in_quantized.empty())) &&
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
  const bool ran_the_same = RanTheSame(a, b);
  for (const LayerComparison& layer : b.layers) {
    const auto found = of_a.find(layer.name);
    if (found != of_a.end()) {
      ++diff.layers_in_both;
      AddFigures(FiguresOf(*found->second), FiguresOf(layer), diff);
      AddBits(*found->second, layer, ran_the_same, diff);
      AddQParams(*found->second, layer, diff);
    }
  }
  AddFigures(FiguresOfModules(a), FiguresOfModules(b), diff);
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
  // The first that both comparisons have is judged.
  for (const absl::string_view judged :
       {FigureName(Figure::kActivation), FigureName(Figure::kShadow),
        FigureName(Figure::kKernel), FigureName(Figure::kWeight), kStub,
        kOutput}) {
    std::vector<LimitCheck> checks;
    for (const FigureChange& change : diff.changes) {
      if (change.figure == judged && !change.holds_integers) {
        checks.push_back(CheckDrop(change, max_drop_db));
      }
    }
    if (checks.empty()) {
      continue;
    }
    for (const DiffedFigure& lost : diff.figures_only_a) {
      if (lost.figure == judged && !lost.holds_integers) {
        checks.push_back(DropCheck(lost, max_drop_db));
      }
    }
    return checks;
  }
  return {DropCheck({}, max_drop_db)};
}

std::vector<LimitCheck> CheckOutputDrops(const ComparisonResult& a,
                                         const ComparisonResult& b,
                                         double max_drop_db) {
  std::vector<LimitCheck> checks;
  for (const ModuleOutputComparison& before : a.model_outputs) {
    const ActivationComparison& then = before.figures;
    LimitCheck& check = checks.emplace_back();
    check.kind = LimitKind::kMaxOutputDrop;
    check.layer = before.name;
    check.figure = "output";
    check.bound = max_drop_db;
    const ModuleOutputComparison* const now =
        FindOutput(b.model_outputs, before.name);
    if (now == nullptr) {
      check.value = std::nan("");
      continue;
    }
    const ErrorFigures& error = now->figures.error;
    check.tolerance = Tolerance(then.batch_sqnr_db, now->figures.batch_sqnr_db);
    // Infinities of exact outputs are equal.
    check.value = then.error.sqnr_db == error.sqnr_db
                      ? 0
                      : then.error.sqnr_db - error.sqnr_db;
    check.passed = std::isnan(then.error.sqnr_db) ||
                   check.value <= max_drop_db + check.tolerance;
  }
  if (checks.empty()) {
    LimitCheck& check = checks.emplace_back();
    check.kind = LimitKind::kMaxOutputDrop;
    check.value = std::nan("");
    check.bound = max_drop_db;
  }
  return checks;
}

}  // namespace ns
