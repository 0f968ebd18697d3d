// Inserts the ops that PyTorch's quantize_dynamic makes of float layers.
//
// Each function inserts in front of the layer what takes its place, with the
// module path and source line of the layer, which stays as it is. Error: a
// refusal (ir/base/refusal.h), or the error of an op that does not take the
// arguments; the graph is then as it was but for constants that nothing uses.
#ifndef PASSES_QUANTIZATION_DYNAMIC_QUANTIZED_LAYERS_H_
#define PASSES_QUANTIZATION_DYNAMIC_QUANTIZED_LAYERS_H_

#include <ATen/core/Tensor.h>

#include <vector>

#include "absl/status/statusor.h"
#include "passes/quantization/layers/layer_site.h"

namespace ns {

// What has been inserted in front of a layer to take its place.
struct QuantizedLayer {
  // In the order of the layer's own outputs, of which the last may be missing
  // when nothing uses them.
  std::vector<torch::jit::Value*> outputs;
  // The quantized weights, in the order in which the layer has them.
  std::vector<at::Tensor> weights;
};

// Dynamic quantization of an aten::linear, lstm, gru or cell. Of other layers:
// the refusal "it has no dynamically quantized form".
absl::StatusOr<QuantizedLayer> InsertDynamicLayer(const LayerSite& site);

// Quantization of the table of an aten::embedding or aten::embedding_bag.
absl::StatusOr<QuantizedLayer> InsertQuantizedEmbedding(const LayerSite& site);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_DYNAMIC_QUANTIZED_LAYERS_H_
