// Records what flows into one layer of a model.
#ifndef NS_REPRO_LAYER_INPUT_RECORDER_H_
#define NS_REPRO_LAYER_INPUT_RECORDER_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "passes/analysis/subgraph.h"

namespace ns {

// Runs a copy of a model up to a layer, and keeps nothing between batches.
class LayerInputRecorder {
 public:
  // `subgraph` is one of `model`, outside of control flow, and all of its
  // DataInputsOf are tensors. The model is not changed. Error: a model that
  // cannot be copied.
  static absl::StatusOr<LayerInputRecorder> Create(const ModelGraph& model,
                                                   const Subgraph& subgraph);

  // Returns the tensors that the layer takes at `batch`, number `index` for
  // messages, in the order of DataInputsOf; quantized ones as they are. They
  // are copies. Error: a batch that does not fit the model, or fails in it.
  absl::StatusOr<std::vector<at::Tensor>> Record(const Batch& batch,
                                                 int64_t index);

 private:
  explicit LayerInputRecorder(ModelGraph model) : model_(std::move(model)) {}

  // Returns the tuple of the inputs instead of what the model did.
  ModelGraph model_;
};

}  // namespace ns

#endif  // NS_REPRO_LAYER_INPUT_RECORDER_H_
