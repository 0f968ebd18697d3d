// Multiplies the weights of float layers channel by channel, which moves
// factors from one layer to another.
#ifndef PASSES_QUANTIZATION_RESCALE_SCALED_LAYER_H_
#define PASSES_QUANTIZATION_RESCALE_SCALED_LAYER_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "llvm/ADT/DenseMap.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// A layer to which nothing was done, and why.
struct RefusedLayer {
  // FloatSubgraph::name and op.
  std::string name;
  std::string op;
  std::string reason;
};

// Returns for each channel, as a tensor of booleans, whether its entry of
// `ranges` is more than 2^-16 of the largest one. A channel with less does next
// to nothing, and scaling it up would make large numbers of that.
at::Tensor HasRange(const at::Tensor& ranges);

// Whether `node` is a linear layer or a convolution, transposed or not.
bool IsScalableLayer(const torch::jit::Node& node);

// A linear layer, or a convolution with any number of groups, whose outputs are
// to be divided and whose inputs are to be multiplied by a number for each
// channel:
//
//   weight[o, i, ...] * inputs[i] / outputs[o],   bias[o] / outputs[o]
//
// It computes f(x * inputs) / outputs where it computed f(x). The graph is as
// it was until Write.
class ScaledLayer {
 public:
  // Error: a refusal for a weight or a bias that is not constant, not of
  // float32 or float64, not finite, empty, or used by something else, too.
  static absl::StatusOr<ScaledLayer> Make(torch::jit::Node& node);

  // The number of dimensions of space that it works on: none for a linear
  // layer.
  int64_t space() const { return weight_.dim() - 2; }
  int64_t inputs() const { return inputs_.size(0); }
  int64_t outputs() const { return outputs_.size(0); }

  // Returns the largest absolute value of the scaled weight for each input, or
  // for each output channel, in float64.
  at::Tensor RangesOfInputs() const;
  at::Tensor RangesOfOutputs() const;

  // Multiply the factors of inputs or outputs so far by `factors`: float64,
  // positive and finite, one for each channel.
  void MultiplyInputs(const at::Tensor& factors);
  void DivideOutputs(const at::Tensor& factors);

  // Return the weight and the bias as scaled, in the shape and dtype that they
  // have in the graph; an undefined bias for none.
  at::Tensor Weight() const;
  at::Tensor Bias() const;

  // Whether Write would change anything.
  bool IsScaled() const;
  // Error, before anything is written: a scaled weight or bias is not finite.
  absl::Status CheckFinite() const;
  // Puts the scaled weight and bias into the graph.
  void Write() const;

 private:
  ScaledLayer() = default;

  void UpdateOutputRanges();
  void UpdateInputRanges();

  torch::jit::Node* node_ = nullptr;
  int64_t groups_ = 1;
  bool is_transposed_ = false;
  at::Tensor weight_;
  at::Tensor bias_;  // undefined for none
  // The largest absolute values of the weight in the graph: [groups, outputs of
  // a group, inputs of a group].
  at::Tensor ranges_;
  // What inputs are multiplied by, and outputs divided by.
  at::Tensor inputs_;
  at::Tensor outputs_;
  // The ranges of inputs for these outputs, and of outputs for these inputs:
  // they change only when the other side does.
  at::Tensor input_ranges_;
  at::Tensor output_ranges_;
};

// The layers of a graph to which something is done, each once.
class ScaledLayers {
 public:
  // Returns that of `node`, which lives as long as the object. Error: as
  // ScaledLayer::Make.
  absl::StatusOr<ScaledLayer*> At(torch::jit::Node& node);

  // Of all layers. Error, before anything is written: as
  // ScaledLayer::CheckFinite.
  absl::Status CheckFinite() const;
  // Writes all that are scaled.
  void Write() const;

 private:
  // In the order in which they were asked for, by their places in indices_.
  std::vector<std::unique_ptr<ScaledLayer>> layers_;
  llvm::DenseMap<const torch::jit::Node*, size_t> indices_;
};

// Makes `tensor` the constant that `node` takes as its input number `index`,
// which is a constant by now. Other users of that keep it; the new one has its
// name.
void SetConstantInput(torch::jit::Node& node, size_t index,
                      const at::Tensor& tensor);

// Returns the constant tensor that `node` takes as its argument `name`, which
// it has; undefined for None. `what` is what messages call it: "its weight".
// Error: a refusal for one that is not constant, is written to in place, is
// not a dense one of float32 or float64, or has values that are not finite.
absl::StatusOr<at::Tensor> ScalableConstant(const torch::jit::Node& node,
                                            absl::string_view name,
                                            absl::string_view what);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_RESCALE_SCALED_LAYER_H_
