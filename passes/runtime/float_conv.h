// Runs a float 2d convolution on oneDNN, where LibTorch is built with that, and
// otherwise with at::conv2d.
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
  at::Tensor scale;   // [out], float64: what the weight is multiplied by
  at::Tensor bias;    // [out], float32
  // Two numbers each, for height and width, below 2^31. Strides and dilations
  // are at least 1, paddings at least 0.
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;
  // Divides the number of output channels.
  int64_t groups = 1;
};

// A 2d convolution. On oneDNN, its output is channels-last, whatever the layout
// of its input, as the outputs of quantized convolutions are. Without oneDNN,
// and for an empty input or one without a batch dimension, the output has the
// layout that at::conv2d gives it.
//
// Registered as torch.classes.ns.FloatConv with the method `forward(Tensor) ->
// Tensor`. It can be saved and loaded.
class FloatConv final : public torch::CustomClassHolder {
 public:
  // Throws c10::Error if a shape, dtype or number is not as FloatConvParameters
  // says, or if the weight has no output channels or no height or width.
  explicit FloatConv(FloatConvParameters parameters);

  // Returns the convolution of `x`, a float tensor [N, in, height, width] or
  // [in, height, width]. When the size of the input is another than in the last
  // call, the weight is packed again, and kept: do not call it from several
  // threads at a time. Throws what LibTorch throws for an input that does not
  // fit.
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
