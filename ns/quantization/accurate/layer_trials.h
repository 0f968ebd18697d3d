// Measures what ways to quantize a layer would cost, before one is chosen.
#ifndef NS_QUANTIZATION_ACCURATE_LAYER_TRIALS_H_
#define NS_QUANTIZATION_ACCURATE_LAYER_TRIALS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "passes/runtime/observers/values/qparams.h"

namespace ns {

// How a value is rounded: quantized, clipped to quant_min..quant_max, and
// dequantized.
struct ValueRounding {
  QParams qparams;
  int64_t quant_min = 0;
  int64_t quant_max = 255;

  bool operator==(const ValueRounding& other) const {
    return qparams.scale == other.qparams.scale &&
           qparams.zero_point == other.qparams.zero_point &&
           quant_min == other.quant_min && quant_max == other.quant_max;
  }
};

// One way to quantize a layer.
struct LayerTrial {
  // The index of the layer in PreparedModel::layers.
  int64_t layer = 0;
  // How its input is rounded; absent to leave that in float.
  std::optional<ValueRounding> input;
  // What stands in the place of its weight, in float and of the same shape: the
  // dequantized weight. Undefined for the weight itself.
  at::Tensor weight;
  // Measures the error of the rounded input instead of that of the output.
  // `weight` does not count then.
  bool of_input = false;
};

// Runs the float model that `prepared` was made of on `batches`, once, and all
// trials beside it, on the same float values. `prepared` is not changed.
// Returns for each trial, in their order, the SQNR in dB of the output of its
// layer, with the relu behind it that its int8 op would include:
//
//   10 log10(sum y^2 / sum (y - t)^2)
//
// over all elements of all batches, where y is the output, or input, in float
// and t that of the trial. Nan for a layer that never runs, that has no
// quantized weight or several inputs, or that cannot be copied. Memory holds
// one batch. Error: a model that is not prepared; a batch that does not fit it.
absl::StatusOr<std::vector<double>> MeasureLayerTrials(
    const ModelGraph& prepared, absl::Span<const Batch> batches,
    absl::Span<const LayerTrial> trials);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_LAYER_TRIALS_H_
