#include "ns/n_shadows/planned_mapping.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ns/n_shadows/float_layers.h"
#include "ns/n_shadows/n_shadows_results.h"
#include "ns/quantization/model/fold_for_quantization.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/layer_rule.h"

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
                                           const Budget& budget,
                                           SensitivityReport& report) {
  // Without the candidates that were refused.
  Sensitivity offered = report.sensitivity;
  while (true) {
    report.plan = PlanQuantization(offered, budget);
    NS_ASSIGN_OR_RETURN(QConfigMapping mapping, PlannedMapping(model, report));
    const absl::StatusOr<FloatLayerReasons> reasons =
        LayersLeftInFloat(model, batches, mapping);
    bool is_refused = false;
    for (size_t i = 0; reasons.ok() && i < offered.layers.size(); ++i) {
      const std::string& name = offered.layers[i].name;
      const std::optional<int> choice = report.plan->choices[i];
      const auto reason = reasons->find(name);
      if (!choice || reason == reasons->end()) {
        continue;
      }
      const QConfig& qconfig = offered.candidates[static_cast<size_t>(*choice)];
      if (!IsFloatCandidate(qconfig)) {
        report.sensitivity.skipped.push_back(
            {name, QConfigName(qconfig), reason->second});
        std::vector<CandidateResult>& left = offered.layers[i].candidates;
        left.erase(std::remove_if(left.begin(), left.end(),
                                  [&](const CandidateResult& one) {
                                    return one.candidate == *choice;
                                  }),
                   left.end());
        is_refused = true;
      }
    }
    if (!is_refused) {
      return mapping;
    }
  }
}

}  // namespace ns
