// Chooses qconfigs for the processor that a model will run on.
#ifndef NS_QUANTIZATION_TARGET_MAPPING_H_
#define NS_QUANTIZATION_TARGET_MAPPING_H_

#include "ir/model_graph.h"
#include "ns/quantization/quantize_options.h"
#include "passes/quantization/qconfig_mapping.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// `config`, of qint8 weights, with 7 bits: -64..64. No pair sum saturates then,
// whatever the activations are, as
//
//   255 * (64 + 64) = 32640 < 32767.
ObserverConfig NarrowWeights(ObserverConfig config);

// Returns DefaultMapping(options) and, where QuantizeOptions::target is
// fbgemm-vnni, a rule for each convolution of `model` whose pair sums saturate
// there (passes/quantization/layer_saturation.h), which are depthwise ones: it
// has NarrowWeights.
QConfigMapping TargetMapping(const ModelGraph& model,
                             const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_TARGET_MAPPING_H_
