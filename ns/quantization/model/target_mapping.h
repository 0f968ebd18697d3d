// Chooses qconfigs for the processor that a model will run on.
#ifndef NS_QUANTIZATION_MODEL_TARGET_MAPPING_H_
#define NS_QUANTIZATION_MODEL_TARGET_MAPPING_H_

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/model/quantize_options.h"
#include "passes/quantization/observe/observer_plan.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// Returns `config`, which is for qint8 weights, with the range -64..64: 7 bits.
// No pair sum saturates then, whatever the activations are, as
//
//   255 * (64 + 64) = 32640 < 32767.
ObserverConfig NarrowWeights(ObserverConfig config);

// Whether an input of `layer`, one of `plan`, has more than 7 bits.
bool TakesEightBits(const ObserverPlan& plan, const PlannedLayer& layer);

// Returns the mapping that PrepareModel goes by: QuantizeOptions::mapping or,
// where that is absent, DefaultMapping(options) with more rules. They give
// NarrowWeights to each layer of `model` that takes activations of 8 bits and
// whose kernel saturates on the target (TargetOf; HasSaturatingKernel in
// passes/quantization/layers/layer_saturation.h). On kFbgemmVnni, these are
// depthwise convolutions. On kFbgemmAvx2 and kOneDnnAvx2, where activations
// have 7 bits, they are layers behind a sigmoid or a softmax, whose outputs
// have a fixed range of 8 bits. There are no such rules with `compat` or in
// modes other than kStatic. Error: a batch norm that cannot be folded.
absl::StatusOr<QConfigMapping> TargetMapping(const ModelGraph& model,
                                             const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_TARGET_MAPPING_H_
