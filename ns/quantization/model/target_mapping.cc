#include "ns/quantization/model/target_mapping.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "llvm/ADT/DenseMap.h"
#include "ns/quantization/model/fold_for_quantization.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/layer_rule.h"
#include "passes/quantization/layers/layer_saturation.h"
#include "passes/quantization/observe/observer_plan.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {
namespace {

using ::torch::jit::Node;

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
      target == QuantizationTarget::kExact) {
    return mapping;
  }
  NS_ASSIGN_OR_RETURN(ModelGraph folded,
                      FoldForQuantization(model, /*compat=*/false));
  llvm::DenseMap<const Node*, const FloatSubgraph*> subgraphs;
  const std::vector<FloatSubgraph> all =
      FindFloatSubgraphs(folded.graph(), {}, FusingOps::kLibTorch);
  for (const FloatSubgraph& subgraph : all) {
    subgraphs[subgraph.subgraph.base] = &subgraph;
  }
  ObserverPlanOptions plan_options;
  plan_options.mapping = mapping;
  plan_options.keep = options.keep;
  const ObserverPlan plan = PlanObservers(folded.graph(), plan_options);
  for (const PlannedLayer& layer : plan.layers) {
    const auto found = subgraphs.find(layer.base);
    if (found != subgraphs.end() && CanSaturate(plan, layer, target)) {
      const QConfig qconfig =
          *plan_options.mapping.Choose(*found->second).qconfig;
      SetLayerQConfig(all, *found->second, WithNarrowWeights(qconfig), mapping);
    }
  }
  return mapping;
}

}  // namespace ns
