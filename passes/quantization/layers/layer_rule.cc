#include "passes/quantization/layers/layer_rule.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ns {
namespace {

// True when a setting for the module of `layer` is for nothing else.
bool IsAloneInItsModule(const std::vector<FloatSubgraph>& all,
                        const FloatSubgraph& layer) {
  const std::string inside = absl::StrCat(layer.fqn, ".");
  return !layer.fqn.empty() &&
         absl::c_count_if(all, [&](const FloatSubgraph& other) {
           return other.fqn == layer.fqn || absl::StartsWith(other.fqn, inside);
         }) == 1;
}

}  // namespace

void SetLayerQConfig(const std::vector<FloatSubgraph>& all,
                     const FloatSubgraph& layer, const OptionalQConfig& qconfig,
                     QConfigMapping& mapping) {
  if (IsAloneInItsModule(all, layer)) {
    mapping.SetModuleName(layer.fqn, qconfig);
    if (mapping.Choose(layer).setting == QConfigSetting::kModuleName) {
      return;
    }
  }
  mapping.SetModuleNameObjectTypeOrder(layer.fqn, layer.op, layer.order,
                                       qconfig);
}

}  // namespace ns
