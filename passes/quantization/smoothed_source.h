// A layer whose output channels are divided, so that their values become
// smooth: a layer norm or a linear layer.
#ifndef PASSES_QUANTIZATION_SMOOTHED_SOURCE_H_
#define PASSES_QUANTIZATION_SMOOTHED_SOURCE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/quantization/scaled_layer.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

class SmoothedSource {
 public:
  // `norm` is an aten::layer_norm. Error: a refusal for parameters that are not
  // constant, not of float32 or float64, or not finite.
  static absl::StatusOr<SmoothedSource> OfNorm(torch::jit::Node& norm);
  // `layer` must outlive the object.
  static SmoothedSource OfLinear(ScaledLayer& layer);

  int64_t channels() const;

  // Returns what the absolute values of each channel may be up to, without a
  // run: |bias| + 4 |weight| of a norm, whose values are mostly about normal.
  // Float64, [channels]; undefined for a linear layer.
  at::Tensor Estimate() const;

  // Gives a norm without parameters those of `dtype`, which its values have.
  void MatchDtype(at::ScalarType dtype);
  // Divides the output by `factors`, of float64, one for each channel. Error: a
  // refusal when what is divided is not finite.
  absl::Status Divide(const at::Tensor& factors);
  // Lets a linear layer have what Divide has made. Does nothing for a norm.
  void Commit();
  // Puts the parameters of a norm into the graph; a norm without a weight gets
  // one. Does nothing for a linear layer, which is the caller's to write.
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

#endif  // PASSES_QUANTIZATION_SMOOTHED_SOURCE_H_
