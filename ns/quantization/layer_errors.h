// Measures what each layer of a quantized model loses by itself.
#ifndef NS_QUANTIZATION_LAYER_ERRORS_H_
#define NS_QUANTIZATION_LAYER_ERRORS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model_graph.h"
#include "ns/batches/batch.h"

namespace ns {

enum class LayerErrorKind {
  // Of the quantized layer on the quantized model's values, against the float
  // layer on the same values (the shadow of `ns compare`).
  kByItself,
  // Of what the layer gives in the quantized model, against what it gives in
  // the
  // float model.
  kInModel,
};

// Returns the SQNR in dB of the output of each layer of `quantized` that stands
// for a layer of `float_model`, by FloatSubgraph::name there. Layers that
// cannot be compared are left out, and figures that are nan. Error: models or
// batches that do not fit.
absl::StatusOr<std::map<std::string, double>> LayerErrors(
    const ModelGraph& float_model, const ModelGraph& quantized,
    absl::Span<const Batch> batches,
    LayerErrorKind kind = LayerErrorKind::kByItself);

}  // namespace ns

#endif  // NS_QUANTIZATION_LAYER_ERRORS_H_
