// Tries changes in the worst layers of a quantized model, and measures what
// each gains.
#ifndef NS_SUITE_TRY_CHANGES_H_
#define NS_SUITE_TRY_CHANGES_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "ir/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/suite/compare_options.h"
#include "ns/suite/comparison_result.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// In how many layers changes are tried: those with the lowest SQNR of their
// shadows.
inline constexpr int64_t kMostTriedLayers = 10;

// Measures, for layers of `result` with a shadow, what the SQNR of the shadow
// would be with one thing changed, and sets LayerComparison::tried_changes:
//
//  * the weight of a linear layer or convolution: the float one, with its norms
//    folded in, quantized to int8 by its largest value, with a scale for each
//    output channel (transposed convolutions: one scale). Tried where it is
//    nearer to the float weight by 0.5 dB;
//  * its bias: the float one. Tried in the place of the weight where the
//    quantized layer has none;
//  * the scale and zero point of its output, of dtype quint8: those that the
//    observer `mse` finds for what the float layer gives. The integers are 0 to
//    255 on the engine qnnpack, and where the outputs span more than 190 of
//    them; else 0 to 127, with which no sum behind it saturates.
//
// The layer before the change and after it runs on the same inputs, with the
// kernels of the quantized engine that is set. The quantized model runs at
// most twice over the first `count` batches; `after_batch` is called after
// each. Models are as the user gave them, and `matched` has their matches, one
// for each layer of `result`. Layers whose weights are not packed by LibTorch,
// and whose output has no constant scale of its own, are left out. Error: a
// batch that cannot be read, or a model that fails.
absl::Status TryChanges(const ModelGraph& float_model,
                        const ModelGraph& quantized_model,
                        const MatchResult& matched, const BatchReader& batches,
                        int64_t count, const CompareOptions& options,
                        const std::function<void()>& after_batch,
                        ComparisonResult& result);

}  // namespace ns

#endif  // NS_SUITE_TRY_CHANGES_H_
