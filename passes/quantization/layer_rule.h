// Adds rules for single layers to a qconfig mapping.
#ifndef PASSES_QUANTIZATION_LAYER_RULE_H_
#define PASSES_QUANTIZATION_LAYER_RULE_H_

#include <vector>

#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/qconfig.h"
#include "passes/quantization/qconfig_mapping.h"

namespace ns {

// Lets `mapping` choose `qconfig` for `layer`, one of `all` of a model: by the
// name of its module, where nothing else that could be quantized is in that
// module, and else by its number among the ops of the module.
void SetLayerQConfig(const std::vector<FloatSubgraph>& all,
                     const FloatSubgraph& layer, const OptionalQConfig& qconfig,
                     QConfigMapping& mapping);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYER_RULE_H_
