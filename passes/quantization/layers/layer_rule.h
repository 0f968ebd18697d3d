// Adds rules for single layers to a qconfig mapping.
#ifndef PASSES_QUANTIZATION_LAYERS_LAYER_RULE_H_
#define PASSES_QUANTIZATION_LAYERS_LAYER_RULE_H_

#include <vector>

#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// Adds a rule to `mapping` that sets `qconfig` for `layer` alone; nullopt keeps
// the layer in float. `all` is what FindFloatSubgraphs returned for the model,
// and `layer` is one of it. Where nothing else of `all` is in the module of
// `layer`, the rule is for the name of the module (SetModuleName). Otherwise it
// is for the number of the op in the module (SetModuleNameObjectTypeOrder, with
// the op as its object type). Where `mapping` has a rule of that kind for
// `layer` already, which would decide, both are set. A setting of the same key
// is replaced.
void SetLayerQConfig(const std::vector<FloatSubgraph>& all,
                     const FloatSubgraph& layer, const OptionalQConfig& qconfig,
                     QConfigMapping& mapping);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_LAYER_RULE_H_
