// Corrects biases layer by layer, each on what the layers before it give once
// they are corrected.
#ifndef NS_QUANTIZATION_ACCURATE_SEQUENTIAL_BIAS_H_
#define NS_QUANTIZATION_ACCURATE_SEQUENTIAL_BIAS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "passes/quantization/convert/conversion_cache.h"
#include "passes/quantization/convert/layer_corrections.h"

namespace ns {

// Returns what to add to the bias of each layer of `prepared`, which must be
// calibrated, so that the mean of each output channel o is again that of the
// float model: float tensors of shape [outputs], by PreparedLayer::name, as in
// LayerCorrections::bias_shifts. Layers that stay in float have none, nor have
// those that cannot be corrected (CorrectableGeometry in
// passes/quantization/layers/bias_correction.h).
//
//   shift[o] = mean over batches of (mean(float y[o]) - mean(quantized y[o]))
//
// The means are over samples and places of a batch. `quantized y` is what the
// layer makes of the outputs of the quantized layers before it, each of which
// was shifted in the same batch already: layer by layer in a single run. Unlike
// BiasShift, it makes up for rounded activations, too.
//
// Runs the float model and the quantized one, which has `corrections`, on each
// of `batches` whose number is in `numbers` once, and then calls `after_batch`,
// which may be null. `cache` is what conversions of `prepared` share; null for
// one that stands alone. Memory holds one batch. A layer that runs several
// times in a batch gets the mean of its shifts. One that never runs gets none,
// and runs whose shift is nan or infinite do not count. Errors: those of
// ConvertObservers; a batch that cannot be read or does not fit.
absl::StatusOr<std::map<std::string, at::Tensor>> SequentialBiasShifts(
    const ModelGraph& prepared, const LayerCorrections& corrections,
    const BatchReader& batches, absl::Span<const int64_t> numbers,
    ConversionCache* cache = nullptr,
    const std::function<void()>& after_batch = nullptr);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_SEQUENTIAL_BIAS_H_
