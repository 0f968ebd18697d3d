// Chooses qconfigs for the processor that a model will run on.
#ifndef NS_QUANTIZATION_TARGET_MAPPING_H_
#define NS_QUANTIZATION_TARGET_MAPPING_H_

#include "ir/model_graph.h"
#include "ns/quantization/quantize_options.h"
#include "passes/quantization/qconfig_mapping.h"

namespace ns {

// Returns DefaultMapping(options) and, where QuantizeOptions::target is
// fbgemm-vnni, a rule for each convolution of `model` whose pair sums saturate
// there (passes/kernels/conv/conv_saturation.h), which are depthwise ones: its
// weights get 7 bits. No sum saturates then, as
//
//   255 * (64 + 64) = 32640 < 32767.
QConfigMapping TargetMapping(const ModelGraph& model,
                             const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_TARGET_MAPPING_H_
