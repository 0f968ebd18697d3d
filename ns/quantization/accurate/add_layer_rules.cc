#include "ns/quantization/accurate/add_layer_rules.h"

#include <cstddef>
#include <string>
#include <vector>

#include "ir/base/status.h"
#include "ns/quantization/model/fold_for_quantization.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/layer_rule.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {
namespace {

// What `choices` has in the place of `qconfig`.
QConfig Changed(QConfig qconfig, int64_t layer, const LayerChoices& choices) {
  if (const auto activation = choices.activations.find(layer);
      activation != choices.activations.end()) {
    qconfig.activation.config = activation->second;
  }
  if (const auto weight = choices.weights.find(layer);
      weight != choices.weights.end()) {
    qconfig.weight.config.quant_min = weight->second.quant_min;
    qconfig.weight.config.quant_max = weight->second.quant_max;
  }
  return qconfig;
}

}  // namespace

absl::StatusOr<std::map<int64_t, QConfigChoice>> AddLayerRules(
    const ModelGraph& float_model, const PreparedModel& record,
    const LayerChoices& choices, QConfigMapping& mapping) {
  NS_ASSIGN_OR_RETURN(ModelGraph folded,
                      FoldForQuantization(float_model, /*compat=*/false));
  const std::vector<FloatSubgraph> subgraphs =
      FindFloatSubgraphs(folded.graph(), {}, FusingOps::kLibTorch);
  std::map<std::string, const FloatSubgraph*> by_name;
  for (const FloatSubgraph& subgraph : subgraphs) {
    by_name[subgraph.name] = &subgraph;
  }
  const QConfigMapping before = mapping;
  std::map<int64_t, const FloatSubgraph*> changed;
  for (size_t i = 0; i < record.layers.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    const auto found = by_name.find(record.layers[i].name);
    if (found == by_name.end()) {
      continue;
    }
    const OptionalQConfig old = before.Choose(*found->second).qconfig;
    if (old && Changed(*old, index, choices) != *old) {
      SetLayerQConfig(subgraphs, *found->second, Changed(*old, index, choices),
                      mapping);
      changed[index] = found->second;
    }
  }
  std::map<int64_t, QConfigChoice> chosen;
  for (const auto& [index, subgraph] : changed) {
    chosen[index] = mapping.Choose(*subgraph);
  }
  return chosen;
}

}  // namespace ns
