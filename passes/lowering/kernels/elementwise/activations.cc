#include "passes/lowering/kernels/elementwise/activations.h"

#include <algorithm>
#include <cmath>

namespace ns::kernels {

float Sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

float Tanh(float x) { return std::tanh(x); }

float HardSigmoid(float x) {
  return std::min(std::max(x + 3.0f, 0.0f), 6.0f) / 6.0f;
}

float HardSwish(float x) {
  return x * std::min(std::max(x + 3.0f, 0.0f), 6.0f) / 6.0f;
}

float LeakyRelu(float x, float slope) { return x > 0 ? x : x * slope; }

float Elu(float x, const EluParams& params) {
  if (x > 0) {
    return x * params.scale;
  }
  return (std::exp(x * params.input_scale) - 1.0f) * params.alpha *
         params.scale;
}

}  // namespace ns::kernels
