// A layer norm or a linear layer whose output channels SmoothLayers
// (smooth_layers.h) divides, so that their values become of similar size.
#ifndef PASSES_QUANTIZATION_RESCALE_SMOOTHED_SOURCE_H_
#define PASSES_QUANTIZATION_RESCALE_SMOOTHED_SOURCE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/quantization/rescale/scaled_layer.h"

namespace torch::jit {
struct Node;
struct Use;
}  // namespace torch::jit

namespace ns {

// Call Divide once; if that and what is done to the readers of the output
// succeed, Commit; and at the end WriteNorm. Until then the graph is as it was.
class SmoothedSource {
 public:
  // `norm` is an aten::layer_norm. Error: a refusal for parameters that are not
  // constant, not of float32 or float64, not finite, or of another shape than
  // normalized_shape.
  static absl::StatusOr<SmoothedSource> OfNorm(torch::jit::Node& norm);
  // `layer` must outlive the object.
  static SmoothedSource OfLinear(ScaledLayer& layer);

  int64_t channels() const;

  // Estimates the largest absolute value of each channel without a run of the
  // model: |bias| + 4 |weight| of a norm, as of normally distributed values.
  // Float64, [channels]; undefined for a linear layer.
  at::Tensor Estimate() const;

  // Says that the values have `dtype`: the weight that a norm without
  // parameters gets is then of it, else of float32.
  void MatchDtype(at::ScalarType dtype);
  // Divides the weight and the bias by `factors`, of float64, one for each
  // output channel, in this object only. Error: a refusal when the results are
  // not finite; the object is then of no more use.
  absl::Status Divide(const at::Tensor& factors);
  // Applies Divide to the ScaledLayer of OfLinear. Does nothing for a norm.
  void Commit();
  // Copies the norm, lets `uses` of its output read that of the copy, and is of
  // the copy from then on. Only for a norm.
  void CopyNormFor(const std::vector<torch::jit::Use>& uses);
  // Puts the parameters of a norm into the graph; a norm without a weight gets
  // one. Does nothing for a linear layer: the caller calls ScaledLayer::Write.
  void WriteNorm() const;

 private:
  SmoothedSource() = default;

  ScaledLayer* linear_ = nullptr;  // null for a norm
  // What Divide has made of it.
  std::optional<ScaledLayer> divided_;
  torch::jit::Node* norm_ = nullptr;
  // In the shape of the norm; the last dimension is that of channels.
  at::Tensor weight_;
  at::Tensor bias_;  // undefined for none
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_RESCALE_SMOOTHED_SOURCE_H_
