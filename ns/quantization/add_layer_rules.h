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
  // What observes the activations that the qconfig of the layer says.
  std::map<int64_t, ObserverConfig> activations;
  // Of weights, the integers alone are taken: some kernels need another scheme
  // than the mapping has.
  std::map<int64_t, ObserverConfig> weights;
};

// Adds a rule (SetLayerQConfig in passes/quantization/layer_rule.h) to
// `mapping` for each layer of `record` for which it says something else than
// `choices`. Returns what the mapping then chooses for these layers, by index.
// `float_model` is what `record` was prepared from. Error: a batch norm that
// cannot be folded.
absl::StatusOr<std::map<int64_t, QConfigChoice>> AddLayerRules(
    const ModelGraph& float_model, const PreparedModel& record,
    const LayerChoices& choices, QConfigMapping& mapping);

}  // namespace ns

#endif  // NS_QUANTIZATION_ADD_LAYER_RULES_H_
