// Makes the float model again that a model was prepared from.
#ifndef PASSES_QUANTIZATION_STRIP_OBSERVERS_H_
#define PASSES_QUANTIZATION_STRIP_OBSERVERS_H_

#include <cstdint>
#include <map>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the base ops of the layers of `model`, a prepared one, whose weight
// is to be quantized, by their index in PreparedModel::layers.
std::map<int64_t, torch::jit::Node*> WeightedLayers(ModelGraph& model);

// Takes out of `model`, which is prepared, what insert-observers has put into
// it, so that it computes in float; batch norms stay folded, and layers that
// were quantized without calibration stay quantized. Returns WeightedLayers.
// Error: a model that is not prepared.
absl::StatusOr<std::map<int64_t, torch::jit::Node*>> StripObservers(
    ModelGraph& model);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_STRIP_OBSERVERS_H_
