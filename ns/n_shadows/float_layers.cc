#include "ns/n_shadows/float_layers.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ns/quantization/model/fold_for_quantization.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/quantization_report.h"

namespace ns {
namespace {

// What AskObserver (passes/quantization/convert/calibrated_value.h) says of
// layers that did not run.
constexpr char kNeverRan[] = "never ran during calibration";

}  // namespace

absl::StatusOr<FloatLayerReasons> LayersLeftInFloat(
    const ModelGraph& model, const std::vector<Batch>& batches,
    const QConfigMapping& mapping) {
  QuantizeOptions options;
  options.mapping = mapping;
  options.methods.bias_correction = BiasCorrection::kNone;
  NS_ASSIGN_OR_RETURN(const QuantizedModel quantized,
                      QuantizeModel(model, batches, options));
  NS_ASSIGN_OR_RETURN(const ModelGraph folded,
                      FoldForQuantization(model, /*compat=*/false));
  // Quantization finds a clamp behind a convolution as a layer of its own.
  const std::vector<FloatSubgraph> found =
      FindFloatSubgraphs(folded.graph(), {}, FusingOps::kLibTorch);
  FloatLayerReasons reasons;
  for (const FloatSubgraph& layer : FindFloatSubgraphs(folded.graph())) {
    const auto same = absl::c_find_if(found, [&](const FloatSubgraph& one) {
      return one.subgraph.base == layer.subgraph.base;
    });
    if (same == found.end() || !mapping.Choose(*same).qconfig) {
      continue;
    }
    const auto stayed = absl::c_find_if(
        quantized.report.stayed_float,
        [&](const FloatLayer& one) { return one.name == same->name; });
    if (stayed != quantized.report.stayed_float.end() &&
        stayed->reason != kNeverRan) {
      reasons[layer.name] = stayed->reason;
    }
  }
  return reasons;
}

}  // namespace ns
