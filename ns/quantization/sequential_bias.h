// Corrects biases layer by layer, each on what the layers before it give once
// they are corrected.
#ifndef NS_QUANTIZATION_SEQUENTIAL_BIAS_H_
#define NS_QUANTIZATION_SEQUENTIAL_BIAS_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch.h"
#include "passes/quantization/layer_corrections.h"

namespace ns {

// Returns what to add to the bias of each layer of `prepared` that can be
// corrected (CorrectableGeometry in passes/quantization/bias_correction.h), so
// that the means of its outputs are again those of the float model:
//
//   shift[o] = mean over batches of (mean(float y[o]) - mean(quantized y[o]))
//
// The means are over samples and places of a batch. `quantized y` is computed
// from what the quantized layers before have given, of which each output was
// shifted in the same batch already: layer by layer in a single run. Unlike
// BiasShift, it makes up for rounded activations, too.
//
// Runs the float model and the quantized one, which has `corrections`, on
// `batches`, once. `after_batch` may be null. A layer that runs several times
// in a batch gets the mean of its shifts; one that never runs gets none.
// Errors: those of ConvertObservers; a batch that does not fit.
absl::StatusOr<std::map<std::string, at::Tensor>> SequentialBiasShifts(
    const ModelGraph& prepared, const LayerCorrections& corrections,
    const std::vector<Batch>& batches,
    const std::function<void()>& after_batch = nullptr);

}  // namespace ns

#endif  // NS_QUANTIZATION_SEQUENTIAL_BIAS_H_
