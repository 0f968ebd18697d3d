// Adds rules for single layers to a qconfig mapping.
#ifndef PASSES_QUANTIZATION_LAYER_RULE_H_
#define PASSES_QUANTIZATION_LAYER_RULE_H_

#include <vector>

#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/qconfig.h"
#include "passes/quantization/qconfig_mapping.h"

namespace ns {

// Adds a rule to `mapping` that sets `qconfig` for `layer` alone; nullopt keeps
// the layer in float. `all` is what FindFloatSubgraphs returned for the model,
// and `layer` is one of it. Where nothing else of `all` is in the module of
// `layer`, the rule is for the name of the module (SetModuleName). Otherwise it
// is for the number of the op in the module (SetModuleNameObjectTypeOrder).
//
// A setting of the same key is replaced. But another setting may still decide:
// a SetModuleNameObjectTypeOrder for this layer that `mapping` has already, be
// it against a SetModuleName or with another object type.
void SetLayerQConfig(const std::vector<FloatSubgraph>& all,
                     const FloatSubgraph& layer, const OptionalQConfig& qconfig,
                     QConfigMapping& mapping);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYER_RULE_H_
