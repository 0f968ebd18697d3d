#include "ns/findings/error_breakdown.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ns/findings/output_shares.h"
#include "ns/findings/output_view.h"
#include "ns/result/comparison_result.h"
#include "passes/ops/fusion_patterns.h"
#include "passes/ops/op_families.h"

namespace ns {
namespace {

// Returns the NSR of `error`; absent for nan.
std::optional<double> Nsr(const ErrorFigures& error) {
  return std::isnan(error.sqnr_db)
             ? std::nullopt
             : std::make_optional(NoiseToSignal(error.sqnr_db));
}

// Returns the NSR of `figures`; also absent where a value is NaN or infinite,
// since the figure then tells of nothing else.
std::optional<double> Nsr(const std::optional<ActivationComparison>& figures) {
  return figures.has_value() && IsOfFiniteValues(*figures) ? Nsr(figures->error)
                                                           : std::nullopt;
}

// Whether the local error of `output` says something about `layer`. It does not
// where values are NaN or infinite, where the float model's are, or behind a
// layer that only one model has.
bool CanBeBlamed(const LayerComparison& layer, const OutputView& output) {
  return layer.unpaired_input.empty() && Nsr(*output.shadow).has_value() &&
         (!output.activation->has_value() ||
          IsOfFiniteValues(**output.activation));
}

bool IsFloatSideFinite(const std::optional<ActivationComparison>& figures) {
  const NonFiniteCounts counts =
      figures && figures->non_finite ? *figures->non_finite : NonFiniteCounts();
  return counts.float_nan == 0 && counts.float_inf == 0;
}

// Whether `layer` produces NaN or infinities in its `output` where its float
// form, on the same inputs, produces numbers.
bool MakesNonFinite(const LayerComparison& layer, const OutputView& output) {
  return layer.unpaired_input.empty() && output.shadow->has_value() &&
         !IsOfFiniteValues(**output.shadow) &&
         IsFloatSideFinite(*output.shadow) &&
         IsFloatSideFinite(*output.activation);
}

// Whether `layer` has numbers in its `output` where its float form, on the same
// inputs, has infinities, as the float model has.
bool LosesInfinities(const LayerComparison& layer, const OutputView& output) {
  const auto counts_of =
      [](const std::optional<ActivationComparison>& figures) {
        return figures ? figures->non_finite : std::nullopt;
      };
  const std::optional<NonFiniteCounts> shadow = counts_of(*output.shadow);
  const std::optional<NonFiniteCounts> activation =
      counts_of(*output.activation);
  return layer.unpaired_input.empty() && shadow && shadow->float_nan == 0 &&
         shadow->float_inf > shadow->quantized_inf &&
         (!activation ||
          (activation->float_nan == 0 && activation->float_inf > 0));
}

// Whether what the float form of `layer` gives says that its `output` is wrong,
// whatever the SQNR.
bool IsWrong(const LayerComparison& layer, const OutputView& output) {
  return MakesNonFinite(layer, output) || LosesInfinities(layer, output);
}

bool IsWrong(const LayerComparison& layer) {
  return absl::c_any_of(OutputViews(layer), [&](const OutputView& output) {
    return IsWrong(layer, output);
  });
}

// Whether the output sums up terms that depend on the inputs linearly. Of an
// unknown op, it is taken to do so.
bool SumsUp(const LayerComparison& layer) {
  static constexpr absl::string_view kSums[] = {"add",  "matmul", "mean",
                                                "rsub", "sub",    "sum"};
  const OpFamily* const family = FindFamily(layer.family);
  if (family == nullptr || absl::c_linear_search(kSums, layer.family)) {
    return true;
  }
  const FoldForm form = family->ops[0].fold;
  return form == FoldForm::kPackedLinear || form == FoldForm::kPackedConv;
}

// The output with the lowest local SQNR, in dB, if `layer` can be blamed for
// one.
struct LowestLocal {
  double sqnr_db = INFINITY;
  const OutputComparison* output = nullptr;
};

LowestLocal LowestLocalOf(const LayerComparison& layer) {
  LowestLocal lowest;
  for (const OutputView& output : OutputViews(layer)) {
    if (CanBeBlamed(layer, output) &&
        (*output.shadow)->error.sqnr_db < lowest.sqnr_db) {
      lowest = {(*output.shadow)->error.sqnr_db, output.other};
    }
  }
  return lowest;
}

// Returns the largest accumulated NSR among the producers of `layer`.
std::optional<double> IncomingNsr(const ComparisonResult& result,
                                  const LayerComparison& layer) {
  if (!layer.producers_are_compared) {
    return std::nullopt;
  }
  std::optional<double> largest;
  for (const size_t producer : layer.producers) {
    if (producer >= result.layers.size()) {
      return std::nullopt;
    }
    const std::optional<double> nsr = Nsr(result.layers[producer].activation);
    if (!nsr.has_value()) {
      return std::nullopt;
    }
    largest = std::max(largest.value_or(0), *nsr);
  }
  return largest;
}

// Whether the two sides of `layer` may compute from different values.
bool HasOtherInput(const LayerComparison& layer) {
  return !layer.unpaired_input.empty() || !layer.replaced_input.empty();
}

// Whether an accumulated error is more than what is expected of it.
bool IsAbove(double accumulated, double expected) {
  return accumulated > kNegligibleNsr &&
         accumulated > kExplainedRatio * expected;
}

double ToDb(double nsr) { return -10 * std::log10(nsr); }

std::optional<double> ExpectedNsr(
    const ComparisonResult& result, const LayerComparison& layer,
    const std::optional<ActivationComparison>& shadow,
    const std::optional<ErrorFigures>& inherited) {
  const std::optional<double> incoming = IncomingNsr(result, layer);
  const std::optional<double> local = Nsr(shadow);
  if (!incoming || !local) {
    return std::nullopt;
  }
  const double measured =
      inherited && !SumsUp(layer) ? Nsr(*inherited).value_or(0) : 0;
  return *local + std::max(*incoming, measured);
}

bool IsUnexplained(const ComparisonResult& result, const LayerComparison& layer,
                   const OutputView& output) {
  if (HasOtherInput(layer)) {
    return false;
  }
  const std::optional<double> accumulated = Nsr(*output.activation);
  const std::optional<double> expected =
      ExpectedNsr(result, layer, *output.shadow, *output.inherited);
  return accumulated && expected && IsAbove(*accumulated, *expected);
}

}  // namespace

double NoiseToSignal(double sqnr_db) { return std::pow(10, -sqnr_db / 10); }

absl::string_view ErrorPartName(ErrorPart part) {
  switch (part) {
    case ErrorPart::kLocal:
      return "local";
    case ErrorPart::kInherited:
      return "inherited";
    case ErrorPart::kBoth:
      break;
  }
  return "both";
}

std::optional<ErrorPart> DominantPart(const LayerComparison& layer) {
  const std::optional<double> local = Nsr(layer.shadow);
  const std::optional<double> inherited =
      layer.inherited.has_value() ? Nsr(*layer.inherited) : std::nullopt;
  if (!local || !inherited || (*local == 0 && *inherited == 0)) {
    return std::nullopt;
  }
  return *local > kDominanceRatio * *inherited   ? ErrorPart::kLocal
         : *inherited > kDominanceRatio * *local ? ErrorPart::kInherited
                                                 : ErrorPart::kBoth;
}

bool IsOfFiniteValues(const ActivationComparison& figures) {
  const NonFiniteCounts counts = figures.non_finite.value_or(NonFiniteCounts());
  if (counts.float_nan > 0 || counts.quantized_nan > 0 ||
      counts.float_inf != counts.quantized_inf) {
    return false;
  }
  // Infinities that differ make an error that is none, or infinite.
  const ErrorFigures& error = figures.error;
  return counts.float_inf == 0 || error.sqnr_db == INFINITY ||
         (error.max_abs_error > 0 && std::isfinite(error.max_abs_error));
}

bool LosesInfinities(const LayerComparison& layer) {
  return absl::c_any_of(OutputViews(layer), [&](const OutputView& output) {
    return LosesInfinities(layer, output);
  });
}

namespace {

// For each layer, the later layers that read it.
std::vector<std::vector<size_t>> ConsumersIn(const ComparisonResult& result) {
  std::vector<std::vector<size_t>> consumers(result.layers.size());
  for (size_t i = 0; i < result.layers.size(); ++i) {
    for (const size_t producer : result.layers[i].producers) {
      if (producer < i) {
        consumers[producer].push_back(i);
      }
    }
  }
  return consumers;
}

// The accumulated NSR of `layer` if it is a clamp that hardly adds to it, and
// else infinity.
double NsrBehindClamp(const LayerComparison& layer) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  // 20 dB below.
  constexpr double kHardly = 0.01;
  const double accumulated = Nsr(layer.activation).value_or(kUnknown);
  return IsActivation(layer.family) &&
                 Nsr(layer.shadow).value_or(kUnknown) <= kHardly * accumulated
             ? accumulated
             : kUnknown;
}

// For each layer that only clamps read, the NSR behind these without what the
// layer inherits: what they cut off does no harm, so that no more is left of
// its own error. Infinite for other layers.
std::vector<double> LeftBehindClamps(const ComparisonResult& result) {
  const std::vector<std::vector<size_t>> consumers = ConsumersIn(result);
  std::vector<double> left;
  for (size_t i = 0; i < consumers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    const double inherited =
        layer.inherited ? Nsr(*layer.inherited).value_or(0) : 0;
    double most =
        consumers[i].empty() ? std::numeric_limits<double>::infinity() : 0;
    for (const size_t reader : consumers[i]) {
      most = std::max(most, NsrBehindClamp(result.layers[reader]) - inherited);
    }
    left.push_back(most);
  }
  return left;
}

}  // namespace

std::vector<bool> TakenBack(const ComparisonResult& result) {
  const size_t count = result.layers.size();
  const std::vector<std::vector<size_t>> consumers = ConsumersIn(result);
  std::vector<bool> taken_back(count);
  // The accumulated NSR of the layers that take back what comes from a layer.
  std::vector<std::optional<double>> left(count);
  for (size_t i = count; i-- > 0;) {
    const LayerComparison& layer = result.layers[i];
    const std::optional<double> accumulated = Nsr(layer.activation);
    const double local = Nsr(layer.shadow).value_or(0);
    const double inherited =
        layer.inherited ? Nsr(*layer.inherited).value_or(0) : 0;
    if (accumulated &&
        kTakenBackRatio * *accumulated < std::min(local, inherited)) {
      left[i] = accumulated;
    } else if (!consumers[i].empty() &&
               absl::c_all_of(consumers[i], [&](size_t consumer) {
                 return left[consumer].has_value();
               })) {
      left[i] = 0;
      for (const size_t consumer : consumers[i]) {
        left[i] = std::max(*left[i], *left[consumer]);
      }
    }
    taken_back[i] = left[i] && local > kTakenBackRatio * *left[i];
  }
  return taken_back;
}

std::vector<double> Harms(const ComparisonResult& result) {
  const bool by_share = SharesHold(result);
  const std::vector<bool> taken_back = TakenBack(result);
  const std::vector<double> left = LeftBehindClamps(result);
  std::vector<double> harms;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    const double local = NoiseToSignal(LowestLocalOf(layer).sqnr_db);
    const double share = layer.output_share.value_or(0);
    harms.push_back(local == 0 || taken_back[i] ? 0
                    : by_share                  ? std::max(share, 0.0)
                                                : std::min(local, left[i]));
  }
  return harms;
}

std::optional<size_t> MostHarmful(const ComparisonResult& result) {
  if (!result.inputs_are_finite) {
    return std::nullopt;
  }
  const auto wrong = absl::c_find_if(
      result.layers,
      [](const LayerComparison& layer) { return IsWrong(layer); });
  if (wrong != result.layers.end()) {
    return wrong - result.layers.begin();
  }
  const std::vector<double> harms = Harms(result);
  const auto most = absl::c_max_element(harms);
  return most == harms.end() || *most == 0
             ? std::nullopt
             : std::make_optional<size_t>(most - harms.begin());
}

std::optional<size_t> WorstOffender(const ComparisonResult& result) {
  const std::optional<size_t> most = MostHarmful(result);
  const bool is_spread = most && SharesHold(result) &&
                         !IsWrong(result.layers[*most]) &&
                         Harms(result)[*most] <= kSpreadShare;
  return is_spread ? std::nullopt : most;
}

const OutputComparison* OffendingOutput(const LayerComparison& layer) {
  for (const OutputView& output : OutputViews(layer)) {
    if (IsWrong(layer, output)) {
      return output.other;
    }
  }
  return LowestLocalOf(layer).output;
}

std::optional<double> ExpectedAccumulatedDb(const ComparisonResult& result,
                                            size_t index,
                                            const OutputComparison* output) {
  const LayerComparison& layer = result.layers[index];
  const std::optional<double> nsr =
      output == nullptr
          ? ExpectedNsr(result, layer, layer.shadow, layer.inherited)
          : ExpectedNsr(result, layer, output->shadow, output->inherited);
  return nsr ? std::make_optional(ToDb(*nsr)) : std::nullopt;
}

std::optional<size_t> FirstUnexplainedFall(const ComparisonResult& result) {
  if (!result.inputs_are_finite) {
    return std::nullopt;
  }
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (absl::c_any_of(OutputViews(layer), [&](const OutputView& output) {
          return IsUnexplained(result, layer, output);
        })) {
      return i;
    }
  }
  return std::nullopt;
}

const OutputComparison* UnexplainedOutput(const ComparisonResult& result,
                                          size_t index) {
  const LayerComparison& layer = result.layers[index];
  for (const OutputView& output : OutputViews(layer)) {
    if (IsUnexplained(result, layer, output)) {
      return output.other;
    }
  }
  return nullptr;
}

std::optional<UnpairedFall> FirstUnpairedFall(const ComparisonResult& result) {
  if (!result.inputs_are_finite) {
    return std::nullopt;
  }
  double largest_in_front = 0;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (HasOtherInput(layer)) {
      const double incoming =
          IncomingNsr(result, layer).value_or(largest_in_front);
      for (const OutputView& output : OutputViews(layer)) {
        const std::optional<double> accumulated = Nsr(*output.activation);
        const double expected =
            incoming + Nsr(*output.shadow).value_or(kUnknownLocalNsr);
        if (accumulated && IsAbove(*accumulated, expected)) {
          return UnpairedFall{i, output.other, ToDb(*accumulated),
                              ToDb(expected)};
        }
      }
    }
    largest_in_front =
        std::max(largest_in_front, Nsr(layer.activation).value_or(0));
  }
  return std::nullopt;
}

}  // namespace ns
