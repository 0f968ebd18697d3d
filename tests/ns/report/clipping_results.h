// Makes layers whose error has a cause that figures tell, for tests.
#ifndef TESTS_NS_REPORT_CLIPPING_RESULTS_H_
#define TESTS_NS_REPORT_CLIPPING_RESULTS_H_

#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/result/comparison_result.h"
#include "tests/ns/report/table_results.h"

namespace ns {

// A layer of 8 bits with the given local SQNR, of which a share of the values
// is clipped so that clipping explains it.
inline LayerComparison Clipping(absl::string_view name, double local,
                                std::vector<size_t> producers) {
  LayerComparison layer = Broken(name, local - 1, local, local + 3, producers);
  ActivationComparison& shadow = *layer.shadow;
  shadow.elements = 100;
  shadow.ranges = ValueRanges{-1, 4 + 1. / 255, -1, 1};
  shadow.codes = CodeUse{0, 10, 0};
  layer.qparams = LayerQParams{1. / 255, 0};
  shadow.error.bias_share = 0.5;
  shadow.error.mean_error = std::sqrt(0.5 * 0.1 * 9 / 3);
  return layer;
}

// Returns `layer` with a weight that has the SQNR `db`.
inline LayerComparison WithWeight(LayerComparison layer, double db) {
  layer.weights = {{"weight", {1}, Error(db)}};
  return layer;
}

}  // namespace ns

#endif  // TESTS_NS_REPORT_CLIPPING_RESULTS_H_
