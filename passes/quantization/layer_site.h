// A float layer that is to be quantized, and what quantizing it needs.
#ifndef PASSES_QUANTIZATION_LAYER_SITE_H_
#define PASSES_QUANTIZATION_LAYER_SITE_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/insert_op.h"
#include "ir/tensor_writes.h"
#include "passes/quantization/qconfig.h"
#include "passes/quantization/shared_constants.h"

namespace ns {

struct LayerSite {
  // The float op, and its family (passes/ops/op_table.h).
  torch::jit::Node* node;
  absl::string_view family;
  // How its weights are quantized.
  const ObserverSpec& weight;
  // Whether the op that takes its place computes a relu, too.
  bool with_relu = false;
  // Whether dynamic activations take 7 bits instead of 8.
  bool reduce_range = true;
  SharedConstants& constants;
  // Tells which constants ops in place write to; null where there are none.
  const TensorWrites* writes = nullptr;
};

// What has been inserted in front of a layer to take its place.
struct QuantizedLayer {
  // In the order of the layer's own outputs, of which the last may be missing
  // when nothing uses them.
  std::vector<torch::jit::Value*> outputs;
  // The quantized weights, in the order in which the layer has them.
  std::vector<at::Tensor> weights;
};

// Runs `insert` in front of the layer, and returns what it returns, an
// absl::StatusOr. What it inserts has the layer's module path and source line,
// and is removed again after an error. It must ask site.constants for nothing:
// what that makes is not to be removed.
template <typename Insert>
auto InsertFor(const LayerSite& site, const Insert& insert) {
  const torch::jit::Node* before = site.node->prev();
  auto inserted = InsertOrTakeBack(*site.node, insert);
  for (torch::jit::Node* node = site.node->prev(); node != before;
       node = node->prev()) {
    node->copyMetadata(site.node);
  }
  return inserted;
}

// Returns the index of the argument `name` of the layer, which it has.
size_t ArgumentIndex(const torch::jit::Node& node, absl::string_view name);

// Returns the constant that argument `index` of the layer is; undefined for
// None. `what` is what messages call it: "its weight". Error: a refusal when it
// is not constant, or an op in place writes to it.
absl::StatusOr<at::Tensor> ConstantArgument(const LayerSite& site, size_t index,
                                            absl::string_view what);

// Returns the same for the value itself: an argument, or an element of one.
absl::StatusOr<at::Tensor> ConstantTensorOf(const LayerSite& site,
                                            const torch::jit::Value& value,
                                            absl::string_view what);

// An element of a constant list of tensors.
struct ConstantElement {
  at::Tensor tensor;
  // The value that it is; null where the whole list is one constant.
  torch::jit::Value* value = nullptr;
  // The value, or the list, that constants are named after.
  const torch::jit::Value* named = nullptr;
};

// Returns the elements of argument `index`, the parameters of a recurrent
// layer: a constant list, or a list of constants. Error: a refusal when only a
// run tells them.
absl::StatusOr<std::vector<ConstantElement>> ConstantElements(
    const LayerSite& site, size_t index);

// Returns `weight`, which has no gradients, quantized as `spec` says
// (passes/runtime/observers/quantized_weight.h). Error: a refusal for a weight
// that is not of float32 or has values that are not finite, and for an observer
// that finds no parameters.
absl::StatusOr<at::Tensor> QuantizedBySpec(const at::Tensor& weight,
                                           const ObserverSpec& spec);

// Returns the name of a constant that is made of `value`: "fc.weight.packed".
// Empty when `value` has no name.
std::string NameFor(const torch::jit::Value& value, absl::string_view suffix);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYER_SITE_H_
