// Rounds the weights of a layer up or down, whichever its outputs need.
#ifndef NS_QUANTIZATION_ADAPTIVE_ROUNDING_H_
#define NS_QUANTIZATION_ADAPTIVE_ROUNDING_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"

namespace ns {

struct RoundingProblem {
  // The layer as a function of its input and its weight.
  std::function<at::Tensor(const at::Tensor& x, const at::Tensor& weight)>
      layer;
  // Its weight in float, and that quantized to the nearest integers, which are
  // quant_min to quant_max.
  at::Tensor weight;
  at::Tensor nearest;
  int64_t quant_min = -128;
  int64_t quant_max = 127;
  // Samples of its input, along the first dimension, in float; and what the
  // quantized layer gets in their place.
  at::Tensor inputs;
  at::Tensor rounded_inputs;
  // How many of them a step takes.
  int64_t samples_in_step = 32;
};

// Returns `nearest` with other integers, each the one below or above its
// weight, for which
//
//   |layer(inputs, weight) - layer(rounded_inputs, dequantized)|^2
//
// is small: AdaRound (Nagel et al., "Up or Down? Adaptive Rounding for
// Post-Training Quantization", 2020, equations 21 to 25). Each weight is
// floor + h(v), with h a sigmoid stretched to -0.1..1.1 and clipped to 0..1;
// Adam finds the v in `iterations` steps over some samples each, while a
// penalty drives h to 0 or 1. Errors and penalty are measured in those of
// `nearest`, so that no layer needs a weight of its own for the penalty.
// `nearest` itself where the result is no better on the samples. `after_step`
// may be null. Deterministic. Error: a layer that LibTorch cannot run or has no
// gradient of.
absl::StatusOr<at::Tensor> AdaptivelyRounded(
    const RoundingProblem& problem, int64_t iterations,
    const std::function<void()>& after_step = nullptr);

}  // namespace ns

#endif  // NS_QUANTIZATION_ADAPTIVE_ROUNDING_H_
