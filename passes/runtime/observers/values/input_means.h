// Gathers the means of what a layer multiplies its weight with.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUES_INPUT_MEANS_H_
#define PASSES_RUNTIME_OBSERVERS_VALUES_INPUT_MEANS_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <vector>

namespace ns {

// How a convolution goes over its input: a number for each dimension of space.
// Empty for a linear layer.
struct ConvGeometry {
  std::vector<int64_t> kernel;
  std::vector<int64_t> stride;
  std::vector<int64_t> padding;
  std::vector<int64_t> dilation;

  bool operator==(const ConvGeometry& other) const {
    return kernel == other.kernel && stride == other.stride &&
           padding == other.padding && dilation == other.dilation;
  }
};

// The mean of each element of the patches that a convolution multiplies with
// its weight, over all patches. Those at the border have zeros, the padding. As
// a layer is linear, the mean of its output follows from it for any weight w:
//
//   mean(y[o]) = b[o] + sum over channels c and taps t: w[o, c, t] mean[c, t]
//
// For a linear layer, a patch is one row of the input, of one tap.
class InputMeans : public torch::CustomClassHolder {
 public:
  explicit InputMeans(ConvGeometry geometry) : geometry_(std::move(geometry)) {}

  // Adds the patches of `x`: [batch, channel, space...] or [channel, space...],
  // and [..., channel] for linear layers. Adds nothing while disabled, for an
  // `x` that is nested, sparse or empty, and for one that has a value of nan or
  // infinity. Returns `x`. Throws when its dimensions or channels do not fit.
  at::Tensor Forward(const at::Tensor& x);

  // Adds what `other` has seen. Throws when it is for another layer.
  void Merge(const InputMeans& other);

  // Float64, [channels, taps]; undefined when there was no patch.
  at::Tensor Mean() const;

  bool is_enabled() const { return is_enabled_; }
  void SetEnabled(bool enabled) { is_enabled_ = enabled; }

  const ConvGeometry& geometry() const { return geometry_; }
  const at::Tensor& sums() const { return sums_; }
  int64_t patches() const { return patches_; }
  void SetState(at::Tensor sums, int64_t patches) {
    sums_ = std::move(sums);
    patches_ = patches;
  }

 private:
  ConvGeometry geometry_;
  bool is_enabled_ = true;
  // Float64, [channels, taps]; undefined before the first patch.
  at::Tensor sums_;
  int64_t patches_ = 0;
};

using InputMeansPtr = c10::intrusive_ptr<InputMeans>;

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUES_INPUT_MEANS_H_
