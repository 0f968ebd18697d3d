// Makes a float model of a prepared one: of one that insert-observers has put
// observers into.
#ifndef PASSES_QUANTIZATION_OBSERVE_STRIP_OBSERVERS_H_
#define PASSES_QUANTIZATION_OBSERVE_STRIP_OBSERVERS_H_

#include <cstdint>
#include <map>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns, for each layer of `model` whose weight will be quantized, the node
// that takes the weight, by the layer's index in PreparedModel::layers
// (prepared_model.h). Layers without such a weight are left out. Empty for a
// model that is not prepared.
std::map<int64_t, torch::jit::Node*> WeightedLayers(ModelGraph& model);

// Takes all that insert-observers has put into `model` out again: calls of
// observers and fake quantizations, marks, and attributes. Not all becomes as
// it was: batch norms stay folded, and layers with a dynamic or weight-only
// qconfig, which need no calibration, stay quantized. Returns what
// WeightedLayers returned before; the nodes are still there. Error: a model
// that is not prepared, which stays as it is.
absl::StatusOr<std::map<int64_t, torch::jit::Node*>> StripObservers(
    ModelGraph& model);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_STRIP_OBSERVERS_H_
