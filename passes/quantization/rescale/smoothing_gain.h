// Computes what smoothing the input of linear layers gains them when they are
// quantized.
#ifndef PASSES_QUANTIZATION_RESCALE_SMOOTHING_GAIN_H_
#define PASSES_QUANTIZATION_RESCALE_SMOOTHING_GAIN_H_

#include <ATen/core/Tensor.h>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// A linear layer, and rows of what it reads.
struct SampledLinear {
  at::Tensor rows;    // [rows, inputs]
  at::Tensor weight;  // [outputs, inputs]
  at::Tensor bias;    // [outputs]; undefined for none
  QConfig qconfig;
};

// Returns what each input is to be divided by, and its weights multiplied by
// (Xiao et al., "SmoothQuant: Accurate and Efficient Post-Training Quantization
// for Large Language Models", 2022, equation 4):
//
//   s[c] = largest[c]^exponent / ranges[c]^(1 - exponent)
//
// `largest` has the largest absolute values of the inputs and `ranges` those of
// their weights: float64, [channels]. Where one of them is next to nothing
// (HasRange in scaled_layer.h), s is the geometric mean of the others, 1 where
// there are none.
at::Tensor SmoothingFactors(const at::Tensor& largest, const at::Tensor& ranges,
                            double exponent);

// Whether `qconfig` makes integers of the input or of the weight.
bool QuantizesInputOrWeight(const QConfig& qconfig);

// Returns the SQNR in dB of the outputs of `layers` with the input divided by
// `factors`, float64 and [inputs], and the weights multiplied by them, both
// then quantized and dequantized by the qconfig of each layer; against their
// outputs in float. Dynamic activations are quantized by their range. Of
// several layers, noise-to-signal ratios are averaged. Error: a qconfig that
// finds no parameters, such as a user's own observer; rows that do not fit.
absl::StatusOr<double> SqnrOfSmoothed(absl::Span<const SampledLinear> layers,
                                      const at::Tensor& factors);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_RESCALE_SMOOTHING_GAIN_H_
