#include "ns/n_shadows/planned_mapping.h"

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/layer_rule.h"

namespace ns {

QConfigMapping PlannedMapping(const ModelGraph& model,
                              const SensitivityReport& report) {
  const Sensitivity& sensitivity = report.sensitivity;
  const std::vector<FloatSubgraph> subgraphs =
      FindFloatSubgraphs(model.graph());
  QConfigMapping mapping;
  for (size_t i = 0; i < sensitivity.layers.size(); ++i) {
    const auto subgraph =
        absl::c_find_if(subgraphs, [&](const FloatSubgraph& one) {
          return one.name == sensitivity.layers[i].name;
        });
    if (subgraph == subgraphs.end()) {
      continue;  // Of another model.
    }
    OptionalQConfig qconfig;
    if (const std::optional<int> choice = report.plan->choices[i]) {
      qconfig = sensitivity.candidates[*choice];
    }
    SetLayerQConfig(subgraphs, *subgraph, qconfig, mapping);
  }
  return mapping;
}

}  // namespace ns
