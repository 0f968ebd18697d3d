// Quantizes the code of a module that is one layer, as a flat graph.
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
  // What has observed it while the model was trained; null for a new observer
  // of `spec`, which sees the weight alone.
  ObserverPtr trained;
};

// Returns the one layer of `graph`. Error: it has none, or several.
absl::StatusOr<FloatSubgraph> OneLayer(torch::jit::Graph& graph);

// Makes of `flat`, the frozen float code of a layer with one tensor as its
// first argument, code that takes and gives quantized tensors:
//
//   %y = aten::conv2d(%x, %weight, %bias, ...)
//   return (%y)
// becomes
//   %y = quantized::conv2d(%x, %packed, %scale, %zero_point)
//   return (%y)
//
// The weight is quantized, and packed for the engine that is set. An argument
// that would choose among output shapes, as output_size of a transposed
// convolution, must be None when the code runs. `warnings`, which may be null,
// gets a line for a qconfig that was changed. Error: what has no quantized op,
// with the reason.
absl::Status QuantizeLayerCode(const LayerWeight& weight,
                               const OutputQuantization& output,
                               ModelGraph& flat,
                               std::vector<std::string>* warnings);

// Makes code that takes and gives float tensors and has a quantized weight: a
// dynamic layer or, with a placeholder for `qconfig.activation`, an embedding
// (passes/quantization/quantize_dynamic.h). Error: as above.
absl::Status QuantizeDynamicCode(const QConfig& qconfig, ModelGraph& flat);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_LAYER_CODE_H_
