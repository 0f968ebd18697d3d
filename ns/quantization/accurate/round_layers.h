// Rounds the weights of a prepared model's layers adaptively, one by one.
#ifndef NS_QUANTIZATION_ACCURATE_ROUND_LAYERS_H_
#define NS_QUANTIZATION_ACCURATE_ROUND_LAYERS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"

namespace ns {

// Returns quantized weights that AdaptivelyRounded (adaptive_rounding.h) has
// found for layers of `prepared`, a calibrated model, by PreparedLayer::name.
// It tries the layers that CorrectableGeometry accepts
// (passes/quantization/layers/bias_correction.h). A layer has no entry where
// rounding to nearest is as good, its observer has no qparams, or it took no
// finite values.
//
// The samples are inputs of the layer when the float model runs on `batches`,
// and the same as quantized by the layer's observer: at most 64 images, or 2048
// rows for a linear layer, and at most 64 MB. Images of other sizes than the
// first are left out. The samples of all layers are in memory at once. A relu
// behind a layer counts as part of it.
//
// A layer takes up to `iterations` steps. After each one, `progress`, which may
// be null, gets the number of steps done and the most that there can be in all;
// a layer that takes fewer counts as `iterations` steps once it is done.
// Errors: a model that is not prepared; a batch that does not fit.
absl::StatusOr<std::map<std::string, at::Tensor>> RoundLayers(
    const ModelGraph& prepared, const std::vector<Batch>& batches,
    int64_t iterations,
    const std::function<void(int64_t done, int64_t total)>& progress = nullptr);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_ROUND_LAYERS_H_
