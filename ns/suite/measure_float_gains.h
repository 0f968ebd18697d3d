// Measures what the outputs of a quantized model gain with one layer in float.
#ifndef NS_SUITE_MEASURE_FLOAT_GAINS_H_
#define NS_SUITE_MEASURE_FLOAT_GAINS_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"

namespace ns {

// For how many layers the gain is measured: those with the largest shares of
// the outputs' error where shares hold (ns/findings/output_shares.h), and else
// those with the lowest SQNR of their shadows.
inline constexpr int64_t kMostFloatGains = 5;

// Sets LayerComparison::in_float of at most kMostFloatGains layers of `result`,
// the comparison of the models on the first `count` of `batches`. The quantized
// model runs on them once for each of these layers, with that layer computed in
// float (ReplaceByShadow), and the float model once in all. The output is the
// one of ComparisonResult::model_outputs that has the lowest SQNR; where that
// is exact or nan, nothing is measured.
//
// `after_batch`, which may be null, is called after each batch, `count` times.
// The models are not changed. `matched` has their matches, one for each layer
// of `result`. Layers that cannot be replaced, or fail when they are, are
// passed over. Error: a batch that cannot be read, or a float model that fails.
absl::Status MeasureFloatGains(const ModelGraph& float_model,
                               const ModelGraph& quantized_model,
                               const MatchResult& matched,
                               const BatchReader& batches, int64_t count,
                               const OpIoTypes& io_types,
                               const std::function<void()>& after_batch,
                               ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_MEASURE_FLOAT_GAINS_H_
