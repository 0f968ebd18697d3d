#include "ns/report/error_breakdown.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ns/suite/comparison_result.h"

namespace ns {
namespace {

// Absent for nan.
std::optional<double> Nsr(const ErrorFigures& error) {
  return std::isnan(error.sqnr_db)
             ? std::nullopt
             : std::make_optional(NoiseToSignal(error.sqnr_db));
}

// Absent, too, where a value is NaN or infinite: the figure tells of nothing
// else.
std::optional<double> Nsr(const std::optional<ActivationComparison>& figures) {
  return figures.has_value() && IsOfFiniteValues(*figures) ? Nsr(figures->error)
                                                           : std::nullopt;
}

// Whether the local error of `layer` says something of it: not where values are
// NaN or infinite, nor where the float model's are, nor behind a layer that
// only one model has.
bool CanBeBlamed(const LayerComparison& layer) {
  return layer.unpaired_input.empty() && Nsr(layer.shadow).has_value() &&
         (!layer.activation || IsOfFiniteValues(*layer.activation));
}

bool IsFloatSideFinite(const std::optional<ActivationComparison>& figures) {
  const NonFiniteCounts counts =
      figures && figures->non_finite ? *figures->non_finite : NonFiniteCounts();
  return counts.float_nan == 0 && counts.float_inf == 0;
}

// Whether `layer` makes NaN or infinities where its float form, on the same
// inputs, makes numbers.
bool MakesNonFinite(const LayerComparison& layer) {
  return layer.unpaired_input.empty() && layer.shadow &&
         !IsOfFiniteValues(*layer.shadow) && IsFloatSideFinite(layer.shadow) &&
         IsFloatSideFinite(layer.activation);
}

// The largest accumulated NSR among the producers of `layer`.
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

std::optional<double> ExpectedNsr(const ComparisonResult& result,
                                  const LayerComparison& layer) {
  const std::optional<double> incoming = IncomingNsr(result, layer);
  const std::optional<double> local = Nsr(layer.shadow);
  return incoming && local ? std::make_optional(*incoming + *local)
                           : std::nullopt;
}

bool IsUnexplained(const ComparisonResult& result,
                   const LayerComparison& layer) {
  if (!layer.unpaired_input.empty()) {
    return false;
  }
  const std::optional<double> accumulated = Nsr(layer.activation);
  const std::optional<double> expected = ExpectedNsr(result, layer);
  return accumulated && expected && *accumulated > kNegligibleNsr &&
         *accumulated > kExplainedRatio * *expected;
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
  return counts.float_nan == 0 && counts.float_inf == 0 &&
         counts.quantized_nan == 0 && counts.quantized_inf == 0;
}

std::optional<size_t> WorstOffender(const ComparisonResult& result) {
  if (!result.inputs_are_finite) {
    return std::nullopt;
  }
  const auto maker = absl::c_find_if(result.layers, MakesNonFinite);
  if (maker != result.layers.end()) {
    return maker - result.layers.begin();
  }
  std::optional<size_t> worst;
  double lowest = INFINITY;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (CanBeBlamed(layer) && layer.shadow->error.sqnr_db < lowest) {
      worst = i;
      lowest = layer.shadow->error.sqnr_db;
    }
  }
  return worst;
}

std::optional<double> ExpectedAccumulatedDb(const ComparisonResult& result,
                                            size_t index) {
  const std::optional<double> nsr = ExpectedNsr(result, result.layers[index]);
  return nsr ? std::make_optional(-10 * std::log10(*nsr)) : std::nullopt;
}

std::optional<size_t> FirstUnexplainedFall(const ComparisonResult& result) {
  if (!result.inputs_are_finite) {
    return std::nullopt;
  }
  for (size_t i = 0; i < result.layers.size(); ++i) {
    if (IsUnexplained(result, result.layers[i])) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace ns
