// Tells which layers `ns quantize` would leave in float.
#ifndef NS_N_SHADOWS_FLOAT_LAYERS_H_
#define NS_N_SHADOWS_FLOAT_LAYERS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batches.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// Names of layers (FindFloatSubgraphs of
// passes/quantization/layers/float_subgraphs.h, with batch norms and clamps),
// and why each stays in float.
using FloatLayerReasons = std::map<std::string, std::string>;

// Quantizes `model` with `mapping` as QuantizeModel does, calibrated by
// `batches`, and returns the layers that stay in float although the mapping has
// a qconfig for them. Layers that no batch reaches are not among them. Error:
// what QuantizeModel refuses.
absl::StatusOr<FloatLayerReasons> LayersLeftInFloat(
    const ModelGraph& model, const std::vector<Batch>& batches,
    const QConfigMapping& mapping);

}  // namespace ns

#endif  // NS_N_SHADOWS_FLOAT_LAYERS_H_
