// Makes a reference quantized graph of a prepared and calibrated model.
#ifndef PASSES_QUANTIZATION_CONVERT_CONVERT_OBSERVERS_H_
#define PASSES_QUANTIZATION_CONVERT_CONVERT_OBSERVERS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "ir/model/model_graph.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/quantization/convert/conversion_cache.h"
#include "passes/quantization/convert/layer_corrections.h"
#include "passes/quantization/layers/quantization_report.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

struct ConvertObserversOptions {
  LayerCorrections corrections;
  // Unless it is null, it gets the ops of layers that stay in float although
  // the values around them are quantized: folding would make int8 ops of them.
  llvm::DenseSet<const torch::jit::Node*>* float_nodes = nullptr;
  // What conversions of the same model keep for one another; null for one that
  // stands alone.
  ConversionCache* cache = nullptr;
};

// Puts quantize and dequantize in the place of observers, with what these have
// seen (reference: convert_to_reference_fx):
//
//   %observer_0 = prim::GetAttr[name="ns_observer_0"](%self)
//   %x1 = prim::CallMethod[name="forward"](%observer_0, %x)
//   %w1 = ns::observed_weight(%weight, 0)
//   %y = aten::conv2d(%x1, %w1, %bias, ...)
// becomes
//   %q = aten::quantize_per_tensor(%x, 0.0213, 7, 13)
//   %x1 = aten::dequantize(%q)
//   %weight = prim::Constant[value=<Tensor>]()        # qint8
//   %w1 = aten::dequantize(%weight)
//   %y = aten::conv2d(%x1, %w1, %bias, ...)
//
// fold-reference-quantization makes quantized ops of the result. No observer is
// left, neither in the graph nor in the module.
//
// A layer stays in float, with the reason in the report, when one of its values
// was never seen or holds integers, when its int8 op does not take the rank
// that its input had, and when its observers or its weight give no parameters.
//
// Corrections are made in layers that run in int8. That of a bias is left out
// where CorrectableGeometry (bias_correction.h) has nothing or the number of
// outputs is another, and that of a weight where its shape is another.
//
// Errors: a model that is not prepared, or was by another version; observers of
// which none has seen a value, although some layer needs it.
absl::StatusOr<QuantizationReport> ConvertObservers(
    ModelGraph& model, const ConvertObserversOptions& options = {});

// Does the same as if each observer had seen values, with made-up qparams, each
// observer its own: to find out which quantized ops a model would have.
absl::StatusOr<QuantizationReport> ConvertUncalibrated(ModelGraph& model);

// The same as a pass. A model that is not prepared stays as it is.
class ConvertObserversPass final : public Pass {
 public:
  absl::string_view name() const override { return "convert-observers"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CONVERT_CONVERT_OBSERVERS_H_
