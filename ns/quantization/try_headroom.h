// Finds out whether activations need room for inputs that are larger than those
// of calibration.
#ifndef NS_QUANTIZATION_TRY_HEADROOM_H_
#define NS_QUANTIZATION_TRY_HEADROOM_H_

#include <optional>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/headroom_trial.h"
#include "ns/quantization/model/quantize_options.h"

namespace ns {

// Of n batches that are drawn alike, the next one is larger than all with a
// probability of 1 / (n + 1), and by as much, as a rule, as the largest is
// larger than the second. That is the headroom that is tried; where each batch
// is larger than the one before, its square, and 2 at most.
//
// What it gains and costs shows where the largest batch is left out: two models
// are quantized as `options` say but for corrections, on the other batches, one
// of them with the headroom. Both are compared with `float_model` on all
// batches.
//
// The size of a batch is the root mean square of a float input: of that one
// whose largest batch exceeds the second by most. Nothing is tried, and nothing
// returned, unless `options` ask for it (QuantizeMethods::choose_headroom),
// there are 3 to 16 batches, and the largest is at least 1.1 times as large as
// the second, and by four standard deviations that its size has by chance: more
// of few values, and where a few are much larger than the others. Errors: those
// of Quantize.
absl::StatusOr<std::optional<HeadroomTrial>> TryHeadroom(
    const ModelGraph& float_model, const BatchReader& batches,
    const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_TRY_HEADROOM_H_
