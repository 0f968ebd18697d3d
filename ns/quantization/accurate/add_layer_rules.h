// Writes what was chosen for single layers into a qconfig mapping.
#ifndef NS_QUANTIZATION_ACCURATE_ADD_LAYER_RULES_H_
#define NS_QUANTIZATION_ACCURATE_ADD_LAYER_RULES_H_

#include <cstdint>
#include <map>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// What single layers are to have. The keys are indices into
// PreparedModel::layers; layers without an entry keep what they have.
struct LayerChoices {
  // Replaces QConfig::activation.config.
  std::map<int64_t, ObserverConfig> activations;
  // Replaces quant_min and quant_max of QConfig::weight.config. The other
  // members are not used: the kernel of a layer may have needed another qscheme
  // than the mapping asks for.
  std::map<int64_t, ObserverConfig> weights;
};

// Changes `mapping` so that the layers of `record` get what `choices` say. It
// adds a rule (SetLayerQConfig in passes/quantization/layers/layer_rule.h) for
// each layer that would get another qconfig without it. Layers that `mapping`
// leaves in float get no rule. `record` was prepared from `float_model`,
// without QuantizeOptions::compat; layers that are not found in `float_model`
// by their name get no rule, either.
//
// Returns, for each layer that got a rule, what `mapping` chooses for it now,
// by index. Error: that of FoldForQuantization.
absl::StatusOr<std::map<int64_t, QConfigChoice>> AddLayerRules(
    const ModelGraph& float_model, const PreparedModel& record,
    const LayerChoices& choices, QConfigMapping& mapping);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_ADD_LAYER_RULES_H_
