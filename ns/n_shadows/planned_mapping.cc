#include "ns/n_shadows/planned_mapping.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/status.h"
#include "ns/n_shadows/float_layers.h"
#include "ns/quantization/fold_for_quantization.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/layer_rule.h"

namespace ns {
namespace {

// The qconfigs of the plan by the names of the layers; absent ones for float.
std::map<std::string, OptionalQConfig> PlannedQConfigs(
    const SensitivityReport& report) {
  const Sensitivity& sensitivity = report.sensitivity;
  std::map<std::string, OptionalQConfig> planned;
  for (size_t i = 0; i < sensitivity.layers.size(); ++i) {
    const std::optional<int> choice = report.plan->choices[i];
    planned[sensitivity.layers[i].name] =
        choice ? OptionalQConfig(
                     sensitivity.candidates[static_cast<size_t>(*choice)])
               : std::nullopt;
  }
  return planned;
}

}  // namespace

absl::StatusOr<QConfigMapping> PlannedMapping(const ModelGraph& model,
                                              const SensitivityReport& report) {
  NS_ASSIGN_OR_RETURN(const ModelGraph folded,
                      FoldForQuantization(model, /*compat=*/false));
  const std::vector<FloatSubgraph> measured =
      FindFloatSubgraphs(folded.graph());
  const std::vector<FloatSubgraph> targets =
      FindFloatSubgraphs(folded.graph(), {}, FusingOps::kLibTorch);
  const std::map<std::string, OptionalQConfig> planned =
      PlannedQConfigs(report);
  QConfigMapping mapping;
  for (const FloatSubgraph& target : targets) {
    const auto layer = absl::c_find_if(measured, [&](const FloatSubgraph& one) {
      return absl::c_linear_search(one.subgraph.nodes, target.subgraph.base);
    });
    const auto qconfig =
        layer == measured.end() ? planned.end() : planned.find(layer->name);
    if (qconfig != planned.end()) {
      SetLayerQConfig(targets, target, qconfig->second, mapping);
    }
  }
  return mapping;
}

absl::StatusOr<QConfigMapping> ConfirmPlan(const ModelGraph& model,
                                           const std::vector<Batch>& batches,
                                           SensitivityReport& report) {
  Sensitivity& sensitivity = report.sensitivity;
  while (true) {
    NS_ASSIGN_OR_RETURN(QConfigMapping mapping, PlannedMapping(model, report));
    const absl::StatusOr<FloatLayerReasons> reasons =
        LayersLeftInFloat(model, batches, mapping);
    bool changed = false;
    for (size_t i = 0; reasons.ok() && i < sensitivity.layers.size(); ++i) {
      const std::string& name = sensitivity.layers[i].name;
      std::optional<int>& choice = report.plan->choices[i];
      const auto reason = reasons->find(name);
      if (!choice || reason == reasons->end()) {
        continue;
      }
      const QConfig& qconfig =
          sensitivity.candidates[static_cast<size_t>(*choice)];
      if (!IsFloatCandidate(qconfig)) {
        sensitivity.skipped.push_back(
            {name, QConfigName(qconfig), reason->second});
        choice.reset();
        changed = true;
      }
    }
    if (!changed) {
      return mapping;
    }
  }
}

}  // namespace ns
