#include "passes/kernels/elementwise/activations.h"

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

float Silu(float x) { return x / (1.0f + std::exp(-x)); }

float Gelu(float x) {
  constexpr float kSqrtHalf = 0.70710678118654752440f;
  return x * 0.5f * (1.0f + std::erf(x * kSqrtHalf));
}

float GeluTanh(float x) {
  constexpr float kSqrtTwoOverPi = 0.79788456080286535588f;
  constexpr float kCubic = 0.044715f;
  const float inner = kSqrtTwoOverPi * (x + kCubic * (x * x * x));
  return 0.5f * x * (1.0f + std::tanh(inner));
}

float Mish(float x) { return x * std::tanh(std::log1p(std::exp(x))); }

float Softplus(float x, float beta, float threshold) {
  return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
}

float Elu(float x, const EluParams& params) {
  if (x > 0) {
    return x * params.scale;
  }
  return (std::exp(x * params.input_scale) - 1.0f) * params.alpha *
         params.scale;
}

}  // namespace ns::kernels
