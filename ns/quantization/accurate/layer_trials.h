// Measures what ways to quantize a layer would cost, before one is chosen.
#ifndef NS_QUANTIZATION_ACCURATE_LAYER_TRIALS_H_
#define NS_QUANTIZATION_ACCURATE_LAYER_TRIALS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "passes/instrument/candidates/insert_trial.h"

namespace ns {

// Runs the float model that `prepared` was made of on `batches`, once, and all
// trials beside it, on the same float values. `prepared` is not changed.
// Returns for each trial, in their order, the SQNR in dB of the output of its
// layer, with the relu behind it that its int8 op would include:
//
//   10 log10(sum y^2 / sum (y - t)^2)
//
// over all elements of all batches, where y is the output, or input, in float
// and t that of the trial. Nan for a layer that never runs, that has no
// quantized weight or several inputs, or that cannot be copied. Memory holds
// one batch. Error: a model that is not prepared; a batch that does not fit it.
absl::StatusOr<std::vector<double>> MeasureLayerTrials(
    const ModelGraph& prepared, absl::Span<const Batch> batches,
    absl::Span<const LayerTrial> trials);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_LAYER_TRIALS_H_
