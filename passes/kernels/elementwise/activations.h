// Activation functions for tables of quantized values. They round as LibTorch's
// quantized kernels do where there are such, and else as its float kernels do.
#ifndef PASSES_KERNELS_ELEMENTWISE_ACTIVATIONS_H_
#define PASSES_KERNELS_ELEMENTWISE_ACTIVATIONS_H_

namespace ns::kernels {

// 1 / (1 + exp(-x)).
float Sigmoid(float x);
float Tanh(float x);
// min(max(x + 3, 0), 6) / 6.
float HardSigmoid(float x);
// x * min(max(x + 3, 0), 6) / 6.
float HardSwish(float x);
// x, or x * slope unless x > 0.
float LeakyRelu(float x, float slope);
// x / (1 + exp(-x)).
float Silu(float x);
// x * (1 + erf(x / sqrt(2))) / 2.
float Gelu(float x);
// Gelu's approximation x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2.
float GeluTanh(float x);
// x * tanh(log(1 + exp(x))).
float Mish(float x);
// log(1 + exp(beta * x)) / beta, or x where beta * x is above the threshold.
float Softplus(float x, float beta, float threshold);

// x * scale, or (exp(x * input_scale) - 1) * alpha * scale unless x > 0. These
// are arguments of at::elu, not of quantization.
struct EluParams {
  float alpha = 1;
  float scale = 1;
  float input_scale = 1;
};
float Elu(float x, const EluParams& params);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_ACTIVATIONS_H_
