#include "ns/findings/coarse_squares.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ns/findings/outputs_of_model.h"
#include "ns/findings/value_flow.h"
#include "passes/ops/op_families.h"

namespace ns {
namespace {

constexpr double kGoodDb = 30;
constexpr double kFallDb = 10;

bool IsOneOf(const LayerComparison& layer,
             std::initializer_list<absl::string_view> families) {
  return absl::c_linear_search(families, layer.family);
}

bool IsSensitive(const LayerComparison& layer) {
  const OpFamily* const family = FindFamily(layer.family);
  return IsOneOf(layer, {"div", "pow"}) ||
         (family != nullptr && family->facts.amplifies_errors);
}

// Whether `layer` hands small values on: it sums them up, or moves them.
bool HandsOn(const LayerComparison& layer) {
  return layer.weights.empty() &&
         (IsOneOf(layer, {"add", "sub", "mul", "mean", "sum", "hardtanh"}) ||
          (layer.shadow && layer.shadow->error.sqnr_db == INFINITY));
}

// Returns the accumulated SQNR in dB; -inf for nan, absent where nothing was
// compared.
std::optional<double> AccumulatedDb(const LayerComparison& layer) {
  if (!layer.activation) {
    return std::nullopt;
  }
  const double db = layer.activation->error.sqnr_db;
  return std::isnan(db) ? -INFINITY : db;
}

// Returns how `reader` falls; absent where it does not, by kFallDb.
std::optional<CoarseSquares> FallAt(const ComparisonResult& result,
                                    size_t reader) {
  const LayerComparison& layer = result.layers[reader];
  const std::optional<double> after = AccumulatedDb(layer);
  if (!after || !layer.producers_are_compared ||
      !layer.unpaired_input.empty()) {
    return std::nullopt;
  }
  double before = INFINITY;
  for (const size_t producer : layer.producers) {
    before = std::min(
        before, AccumulatedDb(result.layers[producer]).value_or(-INFINITY));
  }
  return std::isfinite(before) && *after <= before - kFallDb
             ? std::make_optional(CoarseSquares{0, reader, before, *after})
             : std::nullopt;
}

}  // namespace

std::optional<CoarseSquares> FindCoarseSquares(const ComparisonResult& result) {
  std::optional<CoarseSquares> worst;
  if (OutputsReach(result, kGoodDb)) {
    return worst;
  }
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (!IsOneOf(layer, {"mul", "pow"}) || !layer.qparams ||
        !layer.unpaired_input.empty()) {
      continue;
    }
    VisitReaders(result, i, [&](size_t reader) {
      if (!IsSensitive(result.layers[reader])) {
        return HandsOn(result.layers[reader]);
      }
      const std::optional<CoarseSquares> fall = FallAt(result, reader);
      if (fall && (!worst || fall->before_db - fall->after_db >
                                 worst->before_db - worst->after_db)) {
        worst = CoarseSquares{i, reader, fall->before_db, fall->after_db};
      }
      return false;
    });
  }
  return worst;
}

}  // namespace ns
