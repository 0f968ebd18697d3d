// Reads the constant weights of float layers, and quantizes them.
#ifndef PASSES_QUANTIZATION_LAYERS_CONSTANT_WEIGHTS_H_
#define PASSES_QUANTIZATION_LAYERS_CONSTANT_WEIGHTS_H_

#include <ATen/core/Tensor.h>

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/observer.h"

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns the constant tensor that `value` is, without gradients; an undefined
// one for None. `what` is what messages call it: "its weight". Error: a refusal
// when it is not constant, is dequantized from a quantized weight, or an op in
// place writes to it.
absl::StatusOr<at::Tensor> ConstantTensor(const torch::jit::Value& value,
                                          absl::string_view what);

// An element of a constant list of tensors.
struct ConstantElement {
  at::Tensor tensor;
  // Its value in the graph; null where the whole list is one constant.
  torch::jit::Value* value = nullptr;
  // `value` or, where that is null, the list. What is made of the element gets
  // a name from this one's.
  const torch::jit::Value* named = nullptr;
};

// Returns the elements of `list`, the parameters of a recurrent layer: a
// constant list, or a list of constants. Error: a refusal when it is neither,
// and for an element that ConstantTensor refuses.
absl::StatusOr<std::vector<ConstantElement>> ConstantElements(
    const torch::jit::Value& list);

// Returns `weight`, which has no gradients, quantized as `spec` says
// (passes/runtime/observers/quantized_weight.h). Error: a refusal for a weight
// that is not of float32 or has values that are not finite, and for an observer
// that finds no parameters.
absl::StatusOr<at::Tensor> QuantizedBySpec(const at::Tensor& weight,
                                           const ObserverSpec& spec);

// The same with the parameters that `observer` has found.
absl::StatusOr<at::Tensor> QuantizedByObserver(const at::Tensor& weight,
                                               const Observer& observer);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_CONSTANT_WEIGHTS_H_
