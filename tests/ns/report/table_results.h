// Results of comparisons, for tests of the table and of what is below it.
#ifndef TESTS_NS_REPORT_TABLE_RESULTS_H_
#define TESTS_NS_REPORT_TABLE_RESULTS_H_

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/result/comparison_result.h"

namespace ns {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline ErrorFigures Error(double db) {
  ErrorFigures error;
  error.sqnr_db = db;
  error.max_abs_error = db == kInfinity ? 0 : db == db ? 1 : kNan;
  return error;
}

inline ActivationComparison Figures(double db) {
  ActivationComparison figures;
  figures.shape = {1};
  figures.error = Error(db);
  figures.batch_sqnr_db = {db};
  return figures;
}

inline LayerComparison Layer(absl::string_view name, std::optional<double> db,
                             const std::vector<double>& weights = {}) {
  LayerComparison layer;
  layer.name = std::string(name);
  layer.float_side = {layer.name,
                      false,
                      "aten::conv2d",
                      {"aten::conv2d", "aten::batch_norm", "aten::relu"}};
  layer.quantized_side = {
      layer.name, false, "quantized::conv2d_relu", {"quantized::conv2d_relu"}};
  for (const double weight : weights) {
    layer.weights.push_back({"weight", {1}, Error(weight)});
  }
  if (db.has_value()) {
    layer.activation = Figures(*db);
  }
  return layer;
}

inline ComparisonResult Result(std::vector<LayerComparison> layers) {
  ComparisonResult result;
  result.matching = "aligned";
  result.batches = 8;
  result.layers = std::move(layers);
  result.has_activations = true;
  return result;
}

inline ComparisonResult WithShadows(std::vector<LayerComparison> layers) {
  ComparisonResult result = Result(std::move(layers));
  result.has_shadows = true;
  return result;
}

inline OutputComparison Output(absl::string_view name, double accumulated,
                               double local, double inherited) {
  OutputComparison output;
  output.name = std::string(name);
  output.activation = Figures(accumulated);
  output.shadow = Figures(local);
  output.inherited = ErrorFigures{inherited, 0, 0, 0};
  return output;
}

// Figures of all three errors: accumulated, local and inherited.
inline LayerComparison Broken(absl::string_view name, double accumulated,
                              double local, double inherited,
                              const std::vector<size_t>& producers = {}) {
  LayerComparison layer = Layer(name, accumulated);
  layer.shadow = Figures(local);
  layer.inherited = ErrorFigures{inherited, 0, 0, 0};
  layer.producers = producers;
  return layer;
}

}  // namespace ns

#endif  // TESTS_NS_REPORT_TABLE_RESULTS_H_
