// Measures what the weight and the activations of suspected layers do alone.
#ifndef NS_SUITE_MEASURE_SHARES_H_
#define NS_SUITE_MEASURE_SHARES_H_

#include <cstddef>

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_options.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// From this local SQNR on, in dB, the error of a layer is a small one.
inline constexpr double kGoodLocalDb = 30;

inline constexpr size_t kMostMeasuredLayers = 32;

// Sets LayerComparison::measured_shares of the kMostMeasuredLayers layers of
// `result` with the lowest local SQNR, as far as that is below kGoodLocalDb and
// finite. The quantized model runs once more, on the batch in which the worst
// of them is worst, with these shadows and their parts (PairPlan::parts).
// Whatever the user asks for, the same is measured, so that the verdict does
// not depend on that.
//
// The models are not changed. `matched` has their matches, one for each layer.
// Of `options`, only `exact` and `io_types` count. Error: a batch that cannot
// be read, or a model that fails; the result is as before.
absl::Status MeasureShares(const ModelGraph& float_model,
                           const ModelGraph& quantized_model,
                           const MatchResult& matched,
                           const BatchReader& batches,
                           const CompareOptions& options,
                           ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_MEASURE_SHARES_H_
