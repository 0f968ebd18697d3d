// Chooses qconfigs for the processor that a model will run on.
#ifndef NS_QUANTIZATION_TARGET_MAPPING_H_
#define NS_QUANTIZATION_TARGET_MAPPING_H_

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/quantization/quantize_options.h"
#include "passes/quantization/observer_plan.h"
#include "passes/quantization/qconfig_mapping.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// `config`, of qint8 weights, with 7 bits: -64..64. No pair sum saturates then,
// whatever the activations are, as
//
//   255 * (64 + 64) = 32640 < 32767.
ObserverConfig NarrowWeights(ObserverConfig config);

// Whether an input of `layer`, one of `plan`, has more than 7 bits.
bool TakesEightBits(const ObserverPlan& plan, const PlannedLayer& layer);

// Returns the mapping that PrepareModel goes by: QuantizeOptions::mapping or,
// where that is absent, DefaultMapping(options) with a rule for each layer of
// `model` that takes activations of 8 bits and whose pair sums saturate on the
// target (TargetOf; passes/quantization/layer_saturation.h): it has
// NarrowWeights. With VNNI, these are depthwise convolutions; without, where
// the mapping has activations of 7 bits, layers that take what a sigmoid or a
// softmax gives, which has a range of its own. None with `compat`. Error: a
// batch norm that cannot be folded.
absl::StatusOr<QConfigMapping> TargetMapping(const ModelGraph& model,
                                             const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_TARGET_MAPPING_H_
