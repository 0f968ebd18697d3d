// Moves factors between consecutive layers, so that the weights of all channels
// of a layer have about the same range.
#ifndef PASSES_QUANTIZATION_RESCALE_EQUALIZE_LAYERS_H_
#define PASSES_QUANTIZATION_RESCALE_EQUALIZE_LAYERS_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "passes/quantization/rescale/scaled_layer.h"

namespace ns {

// Two layers, the second on the values of the first, between which factors were
// moved.
struct EqualizedPair {
  // FloatSubgraph::name.
  std::string first;
  std::string second;
  // The largest range of a channel divided by the smallest, before and after;
  // the greater one of the two layers' ratios. Channels with almost no range
  // (2^-16, below) do not count.
  double spread_before = 1;
  double spread_after = 1;
  // Whether the clamp between them now has a bound for each channel.
  bool rescales_clamp = false;
};

struct EqualizationReport {
  // In order of execution.
  std::vector<EqualizedPair> pairs;
  // The first layers of what would be pairs, in order of execution.
  std::vector<RefusedLayer> refused;
};

// Equalizes layers across channels (Nagel et al., "Data-Free Quantization
// Through Weight Equalization and Bias Correction", 2019, section 4.1), which
// lets weights lose less that are quantized with one scale:
//
//   %y = aten::conv2d(%x, %weight_1, %bias_1, ...)
//   %r = aten::relu(%y)
//   %z = aten::conv2d(%r, %weight_2, %bias_2, ...)
//
// keeps its ops and gets other constants, for each channel c of %y:
//
//   weight_1[c] / s[c],  bias_1[c] / s[c],  weight_2[:, c] * s[c]
//   s[c] = sqrt(r1[c] / r2[c])
//   r1[c] = max |weight_1[c]|,  r2[c] = max |weight_2[:, c]|
//
// so that both ranges are sqrt(r1 r2). What the model computes stays equal up
// to rounding, but for clamps that are kept (below). In chains, where a layer
// is the second of one pair and the first of the next, that is done in turn
// until nothing moves.
//
// Layers are linear ones and convolutions, transposed or not, with any number
// of groups. Between them may stand what ChannelFactors (channel_flow.h) lets
// pass, and one clamp from 0 to a number (relu6), which becomes one of its own
// for each channel:
//
//   %r = aten::relu6(%y)
// becomes
//   %p = aten::relu(%y)
//   %r = aten::minimum(%p, %bounds)     # 6 / s, [channels, 1, 1]
//
// No int8 op has such bounds: behind a quantized layer, they cost a dequantize
// and a quantize. Where the outputs of a layer are known (largest_outputs), the
// clamp can stay as it is instead, and so does the scale of the channels that
// it clips (Clamps). That moves less; and outputs beyond those that are known
// may be cut off where they were not.
//
// A channel whose range is at most 2^-16 of the largest one in either layer has
// s = 1: it does next to nothing, and scaling would make large numbers of that.
//
// Fold batch norms first (fold_batch_norms.h). A layer is the first of no pair,
// and gets a remark, when several ops read its values, when an op other than
// the above stands behind it, and when the weight of either layer is not
// constant or is used elsewhere, too.
class EqualizeLayers final : public Pass {
 public:
  // What becomes of a clamp between two layers.
  enum class Clamps {
    kKeepWhereKnown,  // kKeep where outputs are known, else kRescale
    kKeep,     // stays, where outputs are known; otherwise there is no pair
    kRescale,  // gets bounds for each channel
  };
  struct Options {
    // Whether factors are moved from the first layer of this name to the
    // second. Null: between all that can.
    std::function<bool(const std::string& first, const std::string& second)>
        takes_pair;
    // The largest absolute value of each channel of the output of the layer of
    // this name, behind its activation (FloatSubgraph::output), on calibration
    // batches: [channels]. Of layers that are here, no channel is made to
    // exceed what the largest of all channels is: the range of the activation
    // stays, and a clamp that is kept acts nowhere where it did not.
    std::map<std::string, at::Tensor> largest_outputs;
    Clamps clamps = Clamps::kKeepWhereKnown;
  };

  EqualizeLayers() = default;
  explicit EqualizeLayers(Options options) : options_(std::move(options)) {}

  absl::string_view name() const override { return "equalize-layers"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;

  // Does what Run does and returns more of it. Pairs that have about the same
  // ranges already are in neither list. Error: largest outputs that are not one
  // finite number for each channel of their layer.
  absl::StatusOr<EqualizationReport> Equalize(ModelGraph& model,
                                              PassContext& context) const;

 private:
  Options options_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_RESCALE_EQUALIZE_LAYERS_H_
