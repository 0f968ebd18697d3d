// Layers of a comparison that have SQNRs, in dB, and little else.
#ifndef TESTS_NS_FINDINGS_LAYER_FIGURES_H_
#define TESTS_NS_FINDINGS_LAYER_FIGURES_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "ns/result/comparison_result.h"

namespace ns {

// Figures with this SQNR; none without it.
inline std::optional<ActivationComparison> Figures(std::optional<double> db) {
  if (!db.has_value()) {
    return std::nullopt;
  }
  ActivationComparison figures;
  figures.error.sqnr_db = *db;
  return figures;
}

// A layer with these SQNRs, behind those at `producers`.
inline LayerComparison Layer(std::optional<double> accumulated,
                             std::optional<double> local,
                             const std::vector<size_t>& producers = {},
                             std::optional<double> inherited = std::nullopt) {
  LayerComparison layer;
  layer.activation = Figures(accumulated);
  layer.shadow = Figures(local);
  layer.producers = producers;
  if (inherited.has_value()) {
    layer.inherited = ErrorFigures{*inherited, 0, 0, 0};
  }
  return layer;
}

// One more output of a layer.
inline OutputComparison Output(const char* name,
                               std::optional<double> accumulated,
                               std::optional<double> local) {
  OutputComparison output;
  output.name = name;
  output.activation = Figures(accumulated);
  output.shadow = Figures(local);
  return output;
}

inline ComparisonResult Result(std::vector<LayerComparison> layers) {
  ComparisonResult result;
  result.layers = std::move(layers);
  return result;
}

// A layer with figures (accumulated, local) behind one with 20 dB.
inline ComparisonResult Behind20Db(std::optional<double> accumulated,
                                   std::optional<double> local) {
  return Result({Layer(20, 20), Layer(accumulated, local, {0})});
}

}  // namespace ns

#endif  // TESTS_NS_FINDINGS_LAYER_FIGURES_H_
