#include "ns/n_shadows/planned_mapping.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "passes/quantization/float_subgraphs.h"

namespace ns {
namespace {

// True when a setting for the module of `subgraph` is for nothing else.
bool IsAloneInItsModule(const std::vector<FloatSubgraph>& subgraphs,
                        const FloatSubgraph& subgraph) {
  const std::string inside = absl::StrCat(subgraph.fqn, ".");
  return !subgraph.fqn.empty() &&
         absl::c_count_if(subgraphs, [&](const FloatSubgraph& other) {
           return other.fqn == subgraph.fqn ||
                  absl::StartsWith(other.fqn, inside);
         }) == 1;
}

}  // namespace

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
    if (IsAloneInItsModule(subgraphs, *subgraph)) {
      mapping.SetModuleName(subgraph->fqn, qconfig);
    } else {
      mapping.SetModuleNameObjectTypeOrder(subgraph->fqn, subgraph->op,
                                           subgraph->order, qconfig);
    }
  }
  return mapping;
}

}  // namespace ns
