// Cuts one matched layer out of both models.
#ifndef NS_REPRO_LAYER_MODULES_H_
#define NS_REPRO_LAYER_MODULES_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"

namespace ns {

// The two sides of a match as models of their own. Both take the same tensors,
// those that flow into the quantized subgraph, and return one tensor: what the
// shadow of the layer compares.
struct LayerModules {
  ModelGraph float_layer;
  ModelGraph quantized_layer;
};

// Copies both subgraphs of `match`, one of `a` (the float model) with `b`, each
// into a model with one argument for each of the quantized subgraph's
// DataInputsOf. The float layer casts them as a shadow does:
//
//   quantized layer  graph(%self, %x : Tensor):
//                      %packed = prim::GetAttr[name="ns_copied_0"](%self)
//                      %y = quantized::conv2d_relu(%x, %packed, ...)
//                      return (%y)
//   float layer      graph(%self, %x : Tensor):
//                      %float = ns::as_float(%x)
//                      %c = aten::conv2d(%float, %weight, ...)
//                      %y = aten::relu(%c)
//                      return (%y)
//
// `output` is the MatchedOutput::index of the tensor to return. The float layer
// of a quantize point returns its input. `io_types` says what ops take that the
// op table does not know. Neither model is changed; weights are shared.
//
// Error: a refusal (ir/base/refusal.h) with the reason why the layer cannot
// stand alone: it is inside a loop or a branch, takes a list that is made
// elsewhere, takes what is not data, or cannot be shadowed.
absl::StatusOr<LayerModules> ExtractLayer(const ModelGraph& a,
                                          const ModelGraph& b,
                                          const SubgraphMatch& match,
                                          size_t output = 0,
                                          const OpIoTypes& io_types = {});

// Makes the layers of `layers` take plain tensors, and need no op of this
// library for that. `inputs` are tensors that the quantized layer takes, one
// for each argument. Where one is quantized, the quantized layer quantizes its
// argument itself, with the same scale and zero point:
//
//   %q = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
//   %y = quantized::conv2d_relu(%q, %packed, ...)
//
// and one that takes half or bfloat16 rounds it, which changes no value:
//
//   %h = aten::to(%x, %dtype)
//
// Returns the tensors to give to both layers: those of `inputs`, dequantized or
// widened to float, and contiguous. Error: a refusal for an input that is
// quantized per channel, and for a float layer that casts a value that is none
// of its arguments. After an error, the layers may be changed in part.
absl::StatusOr<std::vector<at::Tensor>> TakePlainInputs(
    absl::Span<const at::Tensor> inputs, LayerModules& layers);

}  // namespace ns

#endif  // NS_REPRO_LAYER_MODULES_H_
