#include "ns/quantization/model/target_mapping.h"

#include <c10/core/ScalarType.h>

#include <cstddef>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ns/quantization/model/fold_for_quantization.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/layer_rule.h"
#include "passes/quantization/layers/layer_saturation.h"
#include "passes/quantization/observe/observer_plan.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/qconfig/quantization_target.h"

namespace ns {
namespace {

QConfig WithNarrowWeights(QConfig qconfig) {
  qconfig.weight.config = NarrowWeights(qconfig.weight.config);
  return qconfig;
}

// Whether sums of `layer` can saturate with weights of 8 bits, as one of its
// inputs has 8, too.
bool CanSaturate(const ObserverPlan& plan, const PlannedLayer& layer,
                 QuantizationTarget target) {
  return layer.weight >= 0 &&
         plan.weights[static_cast<size_t>(layer.weight)].spec.config.dtype ==
             at::kQInt8 &&
         TakesEightBits(plan, layer) &&
         HasSaturatingKernel(*layer.base, target);
}

}  // namespace

ObserverConfig NarrowWeights(ObserverConfig config) {
  config.quant_min = -64;
  config.quant_max = 64;
  return config;
}

bool TakesEightBits(const ObserverPlan& plan, const PlannedLayer& layer) {
  constexpr int64_t kSevenBits = 127;
  return absl::c_any_of(layer.inputs, [&](int observer) {
    const QuantGrid grid =
        GridOf(plan.observers[static_cast<size_t>(observer)].config);
    return grid.quant_max - grid.quant_min > kSevenBits;
  });
}

absl::StatusOr<QConfigMapping> TargetMapping(const ModelGraph& model,
                                             const QuantizeOptions& options) {
  if (options.mapping) {
    return *options.mapping;
  }
  QConfigMapping mapping = DefaultMapping(options);
  const QuantizationTarget target = TargetOf(options);
  if (options.mode != QuantizeMode::kStatic || options.compat ||
      SaturationOf(target) == kernels::SaturationMode::kExact) {
    return mapping;
  }
  NS_ASSIGN_OR_RETURN(ModelGraph folded,
                      FoldForQuantization(model, /*compat=*/false));
  const ObserverPlanner planner(folded.graph());
  ObserverPlanOptions plan_options;
  plan_options.mapping = mapping;
  plan_options.keep = options.keep;
  const ObserverPlan plan = planner.Plan(plan_options);
  for (const PlannedLayer& layer : plan.layers) {
    if (CanSaturate(plan, layer, target)) {
      const FloatSubgraph& found = LayerOf(planner.layers(), layer.id);
      const QConfig qconfig = *plan_options.mapping.Choose(found).qconfig;
      SetLayerQConfig(planner.layers(), found, WithNarrowWeights(qconfig),
                      mapping);
    }
  }
  return mapping;
}

}  // namespace ns
