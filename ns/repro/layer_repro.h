// Makes the smallest pair of modules that shows a layer's own error.
#ifndef NS_REPRO_LAYER_REPRO_H_
#define NS_REPRO_LAYER_REPRO_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/repro/layer_modules.h"
#include "ns/repro/shrink_data.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

struct LayerReproOptions {
  // The MatchedOutput::index of the tensor whose error is shown.
  size_t output = 0;
  OpIoTypes io_types = {};
  // Called with the number of batches done and to do.
  std::function<void(int64_t done, int64_t total)> progress;
};

// What shows the error of a layer.
struct LayerRepro {
  std::string layer;
  // The quantized base op: "quantized::conv2d_relu".
  std::string op;
  // The layer of both models; they take plain tensors.
  LayerModules layers;
  // What to give to both: tensors as the layer took them in the quantized
  // model, dequantized.
  std::vector<at::Tensor> inputs;
  // What the float layer makes of its inputs (x) against what the quantized one
  // makes of them (y): the shadow of `ns compare`. Of all batches, and of
  // `inputs`.
  PairStatistics of_all;
  PairStatistics of_kept;
  // The number of batches, and the one that was kept, from 0.
  int64_t batches = 0;
  int64_t batch = 0;
  // The samples of that batch that were kept, of how many: ranges of the first
  // dimension, where all inputs share it. Otherwise all of one.
  IndexRange samples{0, 1};
  int64_t samples_in_batch = 1;
  // The output channels that were kept, of how many; all of one where the layer
  // has none that can be cut (ChannelsOf).
  IndexRange channels{0, 1};
  int64_t channels_in_layer = 1;
};

// Returns the index of the match with this name. Error: there is none; the
// message has the nearest name.
absl::StatusOr<size_t> FindMatchByName(const MatchResult& matches,
                                       absl::string_view name);

// Runs the quantized model `b` on all batches, up to the layer of `match`, and
// both layers on what flows into it there. Keeps the fewest of these data that
// show the error (shrink_data.h): one batch, of it the fewest samples that
// bisection finds, and of the layer the fewest output channels. Memory holds
// one batch. A model that keeps state runs on the batches in front of the one
// that is kept again, so that the inputs are those of the same call. The models
// are not changed.
//
// Error: a refusal (ir/base/refusal.h), after the layer's name: that of
// ExtractLayer or TakePlainInputs, or of a layer that adds no error; a batch
// that does not fit the model.
absl::StatusOr<LayerRepro> MakeLayerRepro(
    const ModelGraph& a, const ModelGraph& b, const SubgraphMatch& match,
    const BatchReader& batches, const LayerReproOptions& options = {});

}  // namespace ns

#endif  // NS_REPRO_LAYER_REPRO_H_
