// Runs a float convolution as fast as LibTorch does: on oneDNN where it has
// that.
#ifndef PASSES_RUNTIME_FLOAT_CONV_H_
#define PASSES_RUNTIME_FLOAT_CONV_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <vector>

namespace ns {

// The parameters of a 2d convolution.
struct FloatConvParameters {
  at::Tensor weight;  // [out, in / groups, height, width], float32
  at::Tensor scale;   // [out], float64: a factor of the weight
  at::Tensor bias;    // [out], float32
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;
  int64_t groups = 1;
};

// A 2d convolution whose output is channels-last, whatever the layout of its
// input, as the outputs of quantized convolutions are. Registered as
// torch.classes.ns.FloatConv with the method `forward(Tensor) -> Tensor`; it
// can be saved and loaded.
class FloatConv final : public torch::CustomClassHolder {
 public:
  // Throws c10::Error for parameters that are not those of a 2d convolution.
  explicit FloatConv(FloatConvParameters parameters);

  // Returns the convolution of `x`, a float tensor [N, in, height, width] or
  // [in, height, width]. The weight is packed for oneDNN when the input has
  // other sizes than before. Throws what at::conv2d throws.
  at::Tensor Forward(const at::Tensor& x);

  const FloatConvParameters& parameters() const { return parameters_; }

 private:
  FloatConvParameters parameters_;
  at::Tensor ScaledWeight() const;
  bool Fits(const at::Tensor& x) const;

  // The scaled weight, packed for oneDNN, and the input sizes that it is packed
  // for.
  c10::IValue prepacked_;
  std::vector<int64_t> prepacked_for_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_FLOAT_CONV_H_
