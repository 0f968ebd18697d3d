#include "ns/error_breakdown.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "absl/strings/string_view.h"
#include "ns/comparison_result.h"

namespace ns {
namespace {

// Absent for nan.
std::optional<double> Nsr(const ErrorFigures& error) {
  return std::isnan(error.sqnr_db)
             ? std::nullopt
             : std::make_optional(NoiseToSignal(error.sqnr_db));
}

std::optional<double> Nsr(const std::optional<ActivationComparison>& figures) {
  return figures.has_value() ? Nsr(figures->error) : std::nullopt;
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

std::optional<size_t> WorstOffender(const ComparisonResult& result) {
  std::optional<size_t> worst;
  double lowest = INFINITY;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const auto& shadow = result.layers[i].shadow;
    if (result.layers[i].unpaired_input.empty() && shadow.has_value() &&
        shadow->error.sqnr_db < lowest) {
      worst = i;
      lowest = shadow->error.sqnr_db;
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
  for (size_t i = 0; i < result.layers.size(); ++i) {
    if (IsUnexplained(result, result.layers[i])) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace ns
