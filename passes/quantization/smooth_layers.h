// Moves what makes activations hard to quantize, channels with large values,
// into the weights of the linear layers that read them.
#ifndef PASSES_QUANTIZATION_SMOOTH_LAYERS_H_
#define PASSES_QUANTIZATION_SMOOTH_LAYERS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/pass.h"
#include "passes/quantization/channel_samples.h"
#include "passes/quantization/qconfig_mapping.h"
#include "passes/quantization/scaled_layer.h"

namespace ns {

// A layer norm or linear layer, and the linear layers that read its values.
struct SmoothedLayers {
  // FloatSubgraph::name.
  std::string first;
  std::vector<std::string> readers;
  // Whether the values were smoothed. Otherwise no exponent gains enough.
  bool is_smoothed = false;
  // The exponent of SmoothingFactors (smoothing_gain.h) that gains most, or
  // that was given.
  double exponent = 0;
  // The SQNR in dB of the outputs of the readers, quantized by themselves
  // (SqnrOfSmoothed): as they were, and with the best exponent. 0 where the
  // exponent was given.
  double without_db = 0;
  double with_db = 0;
};

struct SmoothingReport {
  // In order of execution; also those that gain too little.
  std::vector<SmoothedLayers> tried;
  // Layer norms, and linear layers, whose values are as they were, and why.
  std::vector<RefusedLayer> refused;
  // Whether the model has a layer norm.
  bool has_norm = false;
};

// Smooths activations (Xiao et al., "SmoothQuant", 2022): what a layer norm, or
// a linear layer, gives is divided by a number for each channel, and the
// weights of the linear layers that read it are multiplied by it.
//
//   %y = aten::layer_norm(%x, %shape, %weight, %bias, ...)
//   %q = aten::linear(%y, %weight_q, %bias_q)
//   %k = aten::linear(%y, %weight_k, %bias_k)
//
// keeps its ops and gets other constants, for each channel c of %y:
//
//   weight[c] / s[c],  bias[c] / s[c]
//   weight_q[:, c] * s[c],  weight_k[:, c] * s[c]
//
// with s = SmoothingFactors of the values of %y and the largest weights of all
// readers. What the model computes stays equal up to rounding. A norm without a
// weight gets the weight 1 / s.
//
// Between the two may stand what ChannelFactors (channel_flow.h) lets pass: a
// relu, a dropout in evaluation, reshapes that leave features together. A layer
// stays as it is, with a remark, when anything else reads its values, such as a
// residual sum, when its parameters are not constant, and when no exponent
// gains as much as is asked for.
class SmoothLayers final : public Pass {
 public:
  struct Options {
    // Whether the values of the layer of this name may be smoothed. Null: of
    // all.
    std::function<bool(const std::string& first)> takes;
    // What linear layers read, by their name (ChannelSampler in
    // channel_samples.h), before the pass. A layer is tried when all of its
    // readers are here.
    std::map<std::string, ChannelSample> inputs;
    // How the readers will be quantized: with exponents 0.25, 0.4, 0.5, 0.6,
    // 0.75 and 0.9, the SQNR of readers by themselves is computed, and the best
    // is taken.
    QConfigMapping mapping;
    // The least gain in dB.
    double least_gain_db = 0.5;
    // Takes this exponent, from 0 to 1, without asking what it gains. The
    // values of a norm whose readers are not in `inputs` are then taken to be
    // up to |bias| + 4 |weight| in each channel: those of normal ones.
    std::optional<double> exponent;
  };

  explicit SmoothLayers(Options options) : options_(std::move(options)) {}

  absl::string_view name() const override { return "smooth-layers"; }
  // Error: an exponent that is not from 0 to 1; an invalid mapping; inputs
  // that do not fit a layer.
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;

  // Does what Run does and returns more of it.
  absl::StatusOr<SmoothingReport> Smooth(ModelGraph& model,
                                         PassContext& context) const;

 private:
  Options options_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_SMOOTH_LAYERS_H_
