// Rounds the weights of a layer up or down, whichever its outputs need.
#ifndef NS_QUANTIZATION_ACCURATE_ADAPTIVE_ROUNDING_H_
#define NS_QUANTIZATION_ACCURATE_ADAPTIVE_ROUNDING_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"

namespace ns {

struct RoundingProblem {
  // The layer as a function of its input and its weight.
  std::function<at::Tensor(const at::Tensor& x, const at::Tensor& weight)>
      layer;
  // Its weight in float32, and the same as a quantized tensor, each number
  // rounded to the nearest integer within quant_min..quant_max.
  at::Tensor weight;
  at::Tensor nearest;
  int64_t quant_min = -128;
  int64_t quant_max = 127;
  // Samples of its input, along the first dimension, as they are in the float
  // model; and as they are in the quantized model, dequantized. Both are float
  // tensors of the same shape.
  at::Tensor inputs;
  at::Tensor rounded_inputs;
  // How many samples a step of the search takes; at least 1.
  int64_t samples_in_step = 32;
};

// Returns `nearest` with other integers, each the one below or above its
// weight, for which
//
//   |layer(inputs, weight) - layer(rounded_inputs, dequantized)|^2
//
// is small. Returns `nearest` itself where nothing better is found for these
// samples. Equal problems give equal results. `after_step` is called after each
// step; it may be null. Error: a layer that LibTorch cannot run or cannot
// differentiate.
//
// The method is AdaRound (Nagel et al., "Up or Down? Adaptive Rounding for
// Post-Training Quantization", 2020, equations 21 to 25). Each weight is
// floor + h(v), where h is a sigmoid stretched to -0.1..1.1 and clipped to
// 0..1. Adam finds the v in `iterations` steps, each over the next
// `samples_in_step` samples. A penalty, the same for all layers, drives each
// h(v) to 0 or 1: the error of a step is divided by that of `nearest`, and the
// mean penalty is added.
absl::StatusOr<at::Tensor> AdaptivelyRounded(
    const RoundingProblem& problem, int64_t iterations,
    const std::function<void()>& after_step = nullptr);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_ADAPTIVE_ROUNDING_H_
