// Quantizes the flat graph (ir/model_graph.h) of a module that is one layer.
#ifndef NS_QUANTIZATION_EAGER_LAYER_CODE_H_
#define NS_QUANTIZATION_EAGER_LAYER_CODE_H_

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/qconfig.h"
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

// Changes `flat` so that it takes and returns quantized tensors. It must be the
// frozen graph of one float layer, and its first argument after `self` must be
// a tensor:
//
//   %y = aten::conv2d(%x, %weight, %bias, ...)
//   return (%y)
// becomes
//   %y = quantized::conv2d(%x, %packed, %scale, %zero_point)
//   return (%y)
//
// The weight is quantized, and packed for LibTorch's present quantized engine.
// Where the layer has an argument for the size of its output, such as
// output_size of a transposed convolution, the new code throws unless it is
// None. `warnings`, which may be null, gets a line when a kernel forces another
// quantization of the weight than `weight` asks for. Error: a layer without a
// quantized op, with the reason.
absl::Status QuantizeLayerCode(const LayerWeight& weight,
                               const OutputQuantization& output,
                               ModelGraph& flat,
                               std::vector<std::string>* warnings);

// Changes `flat`, the frozen graph of one float layer, so that its weight is
// quantized, and its inputs and outputs stay in float: to a dynamic layer or,
// where `qconfig.activation` is a placeholder that leaves values in float, to
// an embedding (passes/quantization/quantize_dynamic.h). Error: as above.
absl::Status QuantizeDynamicCode(const QConfig& qconfig, ModelGraph& flat);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_LAYER_CODE_H_
