// Writes what was chosen for single layers into a qconfig mapping.
#ifndef NS_QUANTIZATION_ADD_LAYER_RULES_H_
#define NS_QUANTIZATION_ADD_LAYER_RULES_H_

#include <cstdint>
#include <map>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/quantization/prepared_model.h"
#include "passes/quantization/qconfig_mapping.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {

// By index in PreparedModel::layers.
struct LayerChoices {
  // QConfig::activation.config of the layer. Layers without an entry keep
  // theirs.
  std::map<int64_t, ObserverConfig> activations;
  // Of these, quant_min and quant_max are taken alone: some kernels need
  // another scheme than the mapping has.
  std::map<int64_t, ObserverConfig> weights;
};

// Adds a rule (SetLayerQConfig in passes/quantization/layer_rule.h) to
// `mapping` for each layer of `record` for which it chooses another qconfig
// than `choices` ask for. Layers that it leaves in float get none. Returns what
// the mapping then chooses for the layers that got a rule, by index: a narrower
// rule that it has already may still decide. `record` was prepared from
// `float_model`, without QuantizeOptions::compat. Error: that of
// FoldForQuantization.
absl::StatusOr<std::map<int64_t, QConfigChoice>> AddLayerRules(
    const ModelGraph& float_model, const PreparedModel& record,
    const LayerChoices& choices, QConfigMapping& mapping);

}  // namespace ns

#endif  // NS_QUANTIZATION_ADD_LAYER_RULES_H_
