// Rounds the weights of a prepared model's layers adaptively, one by one.
#ifndef NS_QUANTIZATION_ROUND_LAYERS_H_
#define NS_QUANTIZATION_ROUND_LAYERS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch.h"

namespace ns {

// Returns a rounded weight (adaptive_rounding.h) for each layer of `prepared`,
// a calibrated model, that CorrectableGeometry has something for
// (passes/quantization/bias_correction.h), by PreparedLayer::name. The inputs
// are those of the float model on `batches`, of each layer at most 64 images or
// 2048 rows, rounded as the layer's input will be; a relu behind the layer is
// part of it.
//
// Each layer takes `iterations` steps; `progress` is called with how many are
// done and how many there are in all, and may be null. Memory holds the samples
// of all layers. Errors: a model that is not prepared; a batch that does not
// fit.
absl::StatusOr<std::map<std::string, at::Tensor>> RoundLayers(
    const ModelGraph& prepared, const std::vector<Batch>& batches,
    int64_t iterations,
    const std::function<void(int64_t done, int64_t total)>& progress = nullptr);

}  // namespace ns

#endif  // NS_QUANTIZATION_ROUND_LAYERS_H_
