// Channels with large values make activations hard to quantize. This pass
// scales such channels down, and the weights of the linear layers that read
// them up.
#ifndef PASSES_QUANTIZATION_RESCALE_SMOOTH_LAYERS_H_
#define PASSES_QUANTIZATION_RESCALE_SMOOTH_LAYERS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "passes/quantization/rescale/channel_samples.h"
#include "passes/quantization/rescale/scaled_layer.h"

namespace ns {

// A layer norm or linear layer ("first"), and the linear layers that read its
// output.
struct SmoothedLayers {
  // FloatSubgraph::name.
  std::string first;
  std::vector<std::string> readers;
  // Whether the output of `first` was smoothed. If not, no exponent gains
  // enough.
  bool is_smoothed = false;
  // Whether `first` is a norm that others read, too, so that the readers now
  // have a copy of it.
  bool is_copied = false;
  // The exponent for SmoothingFactors (smoothing_gain.h): the one that gains
  // most, or Options::exponent.
  double exponent = 0;
  // The SQNR in dB of the outputs of the readers when only these are quantized
  // (SqnrOfSmoothed): without smoothing, and with the best exponent. Both are 0
  // if Options::exponent is set.
  double without_db = 0;
  double with_db = 0;
};

struct SmoothingReport {
  // In order of execution. Includes those that gain too little, but not those
  // that are in `refused` for any other reason.
  std::vector<SmoothedLayers> tried;
  // The layer norms and linear layers whose output was not changed, and why.
  // Includes those that gain too little.
  std::vector<RefusedLayer> refused;
  // Whether the model has a layer norm.
  bool has_norm = false;
};

// Smooths activations (Xiao et al., "SmoothQuant", 2022): divides each channel
// of the output of a layer norm or linear layer by a number of its own, and
// multiplies the weights of the linear layers that read that channel by the
// same number.
//   %y = aten::layer_norm(%x, %shape, %weight, %bias, ...)
//   %q = aten::linear(%y, %weight_q, %bias_q)
//   %k = aten::linear(%y, %weight_k, %bias_k)
//
// keeps its ops and gets other constants, for each channel c of %y:
//
//   weight[c] / s[c],  bias[c] / s[c]
//   weight_q[:, c] * s[c],  weight_k[:, c] * s[c]
//
// where s is SmoothingFactors of the largest values of %y and the largest
// weights of all readers. The output of the model stays the same up to
// rounding. A norm without a weight gets the weight 1 / s.
//
// Between a layer and its readers, there may be ops that ChannelFactors
// (channel_flow.h) accepts: a relu, a dropout in evaluation, reshapes that keep
// the last dimension. Where anything else reads the output of a norm, as the
// residual sum behind the norms of BERT does, the linear layers get a copy of
// it, in which alone the factors are:
//
//   %y = aten::layer_norm(%x, %shape, %weight, %bias, ...)
//   %y2 = aten::layer_norm(%x, %shape, %weight_2, %bias_2, ...)
//   %q = aten::linear(%y2, %weight_q, %bias_q)
//   %s = aten::add(%r, %y, %one)
//
// A layer is left as it is, with a remark (ir/graph/pass_context.h), when
// anything else reads the output of a linear layer; when its parameters or
// those of a reader are not constant; and when no exponent gains
// Options::least_gain_db.
class SmoothLayers final : public Pass {
 public:
  struct Options {
    // Whether the output of the layer with this name may be smoothed. Null:
    // that of all layers.
    std::function<bool(const std::string& first)> takes;
    // Samples of the inputs of linear layers, by the names of the layers
    // (FloatSubgraph::name), taken before the pass with ChannelSampler
    // (channel_samples.h). A layer is tried only if all of its readers are
    // here.
    std::map<std::string, ChannelSample> inputs;
    // How the readers will be quantized. The exponents 0.25, 0.4, 0.5, 0.6,
    // 0.75 and 0.9 are tried, and the one with the best SQNR of the readers is
    // taken.
    QConfigMapping mapping;
    // A layer is smoothed only if the best exponent gains at least this, in dB.
    double least_gain_db = 0.5;
    // If set, this exponent, from 0 to 1, is used for all layers, whatever it
    // gains. A norm whose readers are not all in `inputs` is then smoothed as
    // well: its largest values are taken to be |bias| + 4 |weight| in each
    // channel, as those of normally distributed values are.
    std::optional<double> exponent;
  };

  explicit SmoothLayers(Options options) : options_(std::move(options)) {}

  absl::string_view name() const override { return "smooth-layers"; }
  // Error: an exponent that is not from 0 to 1; an invalid mapping; inputs
  // that do not fit a layer.
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;

  // Does the same as Run, and returns what was done to which layers.
  absl::StatusOr<SmoothingReport> Smooth(ModelGraph& model,
                                         PassContext& context) const;

 private:
  Options options_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_RESCALE_SMOOTH_LAYERS_H_
