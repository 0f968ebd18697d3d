// Quantizes the flat graph (ir/model/model_graph.h) of a module that is one
// layer.
#ifndef NS_QUANTIZATION_EAGER_LAYER_CODE_H_
#define NS_QUANTIZATION_EAGER_LAYER_CODE_H_

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/observer.h"

namespace ns {

// How the output of a module is quantized.
struct OutputQuantization {
  double scale = 1;
  int64_t zero_point = 0;
  at::ScalarType dtype = at::kQUInt8;
};

// How the weight of a module is quantized.
struct LayerWeight {
  ObserverSpec spec;
  // The observer that saw the weight during training, which gives the scales.
  // Null: a new observer of `spec` looks at the weight once and gives them.
  ObserverPtr trained;
};

// Returns the one layer of `graph`. Error: it has none, or several.
absl::StatusOr<FloatSubgraph> OneLayer(torch::jit::Graph& graph);

// Makes None of those arguments of a method that say which of several shapes
// the output has, as output_size of a transposed convolution: a quantized op
// has the shape that its weight was packed with. To be called before the method
// is made flat, which writes out what the output is padded by.
void AssumeNoSizes(torch::jit::Graph& graph);

// Changes `flat`, the frozen graph of one float layer, so that its first
// argument after `self` and its output are quantized tensors of `output.dtype`:
//
//   %y = aten::conv2d(%x, %weight, %bias, ...)
//   return (%y)
// becomes
//   %y = quantized::conv2d(%x, %packed, %scale, %zero_point)
//   return (%y)
//
// The weight is quantized, and packed for LibTorch's present quantized engine.
// Where the layer has an argument for the size of its output (AssumeNoSizes),
// the new code throws unless it is None. `warnings`, which may be null, gets a
// line when a kernel forces another quantization of the weight than `weight`
// asks for. Error: what OneLayer refuses, a first argument that is no tensor,
// or a layer without a quantized op, with the reason; `flat` may then be
// changed in part.
absl::Status QuantizeLayerCode(const LayerWeight& weight,
                               const OutputQuantization& output,
                               ModelGraph& flat,
                               std::vector<std::string>* warnings);

// Changes `flat`, the frozen graph of one float layer, so that its weight is
// quantized, and its inputs and outputs stay in float: to what
// passes/quantization/dynamic/quantize_dynamic.h has for `qconfig`, a dynamic
// layer, a quantized embedding, or float ops with a rounded weight. A static
// qconfig, or a layer without a weight to round, leaves it as it is. Error: as
// above.
absl::Status QuantizeDynamicCode(const QConfig& qconfig, ModelGraph& flat);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_LAYER_CODE_H_
