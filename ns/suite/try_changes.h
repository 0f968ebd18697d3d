// Tries changes in the worst layers of a quantized model, and measures what
// each gains.
#ifndef NS_SUITE_TRY_CHANGES_H_
#define NS_SUITE_TRY_CHANGES_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_options.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// In how many layers changes are tried: those with the lowest SQNR of their
// shadows.
inline constexpr int64_t kMostTriedLayers = 10;

// Measures, for the kMostTriedLayers worst layers of `result`, what the SQNR of
// the shadow would be with one thing changed, and adds that to
// LayerComparison::tried_changes. A layer needs a shadow with a finite SQNR and
// inputs that both models have. What is tried:
//
//  * the weight of a linear layer or convolution: the float one, with its norms
//    folded in, quantized to int8 by its largest value, with a scale for each
//    output channel (transposed convolutions: one scale). Tried where its SQNR
//    against the float weight is higher by 0.5 dB or more;
//  * its bias: the float one. Tried instead of the weight where the quantized
//    layer has lost the bias of the float one;
//  * the scale and zero point of its output, of dtype quint8: those that the
//    observer `mse` finds for what the float layer gives. Tried where the zero
//    point is another one or the scale differs by 2 % or more. The integers are
//    0 to 255 on the engine qnnpack, and where the outputs span more than 190
//    of them; else 0 to 127, with which no sum behind it saturates.
//
// The layer before the change and after it runs on the same inputs, with the
// kernels of the quantized engine that is set. The quantized model runs at
// most twice over the first `count` batches; `after_batch`, which may be null,
// is called after each. The models are not changed. `matched` has their
// matches, one for each layer of `result`. Of `options`, only `exact` and
// `io_types` count. Weight and bias are not tried where LibTorch has not packed
// them, the scale not where it is not a constant of the layer. Error: a batch
// that cannot be read, or a model that fails.
absl::Status TryChanges(const ModelGraph& float_model,
                        const ModelGraph& quantized_model,
                        const MatchResult& matched, const BatchReader& batches,
                        int64_t count, const CompareOptions& options,
                        const std::function<void()>& after_batch,
                        ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_TRY_CHANGES_H_
