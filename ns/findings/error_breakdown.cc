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

namespace ns {
namespace {

// Whether the local error of `output` says something about `layer`. It does not
// where values are NaN or infinite, where the float model's are, or behind a
// layer that only one model has.
bool CanBeBlamed(const LayerComparison& layer, const OutputView& output) {
  return layer.unpaired_input.empty() && NsrOf(*output.shadow).has_value() &&
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

}  // namespace

double NoiseToSignal(double sqnr_db) { return std::pow(10, -sqnr_db / 10); }

std::optional<double> NsrOf(const ErrorFigures& error) {
  return std::isnan(error.sqnr_db)
             ? std::nullopt
             : std::make_optional(NoiseToSignal(error.sqnr_db));
}

std::optional<double> NsrOf(
    const std::optional<ActivationComparison>& figures) {
  return figures.has_value() && IsOfFiniteValues(*figures)
             ? NsrOf(figures->error)
             : std::nullopt;
}

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
  const std::optional<double> local = NsrOf(layer.shadow);
  const std::optional<double> inherited =
      layer.inherited.has_value() ? NsrOf(*layer.inherited) : std::nullopt;
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
  const double accumulated = NsrOf(layer.activation).value_or(kUnknown);
  return IsActivation(layer.family) &&
                 NsrOf(layer.shadow).value_or(kUnknown) <= kHardly * accumulated
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
        layer.inherited ? NsrOf(*layer.inherited).value_or(0) : 0;
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
    const std::optional<double> accumulated = NsrOf(layer.activation);
    const double local = NsrOf(layer.shadow).value_or(0);
    const double inherited =
        layer.inherited ? NsrOf(*layer.inherited).value_or(0) : 0;
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

}  // namespace ns
