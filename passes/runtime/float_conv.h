// A float convolution as fast as LibTorch runs it.
#ifndef PASSES_RUNTIME_FLOAT_CONV_H_
#define PASSES_RUNTIME_FLOAT_CONV_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <vector>

namespace ns {

struct FloatConvParameters {
  at::Tensor weight;  // [out, in / groups, height, width], float32
  at::Tensor scale;   // [out], float64: a factor of the weight
  at::Tensor bias;    // [out], float32
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;
  int64_t groups = 1;
};

// A 2d convolution that lays out its output as quantized convolutions do, with
// channels last, whatever the layout of its input. Registered as
// torch.classes.ns.FloatConv with the method `forward(Tensor) -> Tensor`; saves
// and loads.
class FloatConv final : public torch::CustomClassHolder {
 public:
  // Throws c10::Error for parameters that are not those of a 2d convolution.
  explicit FloatConv(FloatConvParameters parameters);

  // `x` is [N, in, height, width] or [in, height, width] and float; oneDNN
  // gets its weight as it wants it, once. Throws what at::conv2d throws.
  at::Tensor Forward(const at::Tensor& x);

  const FloatConvParameters& parameters() const { return parameters_; }

 private:
  FloatConvParameters parameters_;
  at::Tensor ScaledWeight() const;
  bool Fits(const at::Tensor& x) const;

  // oneDNN's copy of the scaled weight, and the input sizes that it is made
  // for.
  c10::IValue prepacked_;
  std::vector<int64_t> prepacked_for_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_FLOAT_CONV_H_
