// Puts the values of a list of tensors into one tensor. The function is
// registered as the operator ns::all_elements.
#ifndef PASSES_RUNTIME_ALL_ELEMENTS_H_
#define PASSES_RUNTIME_ALL_ELEMENTS_H_

#include <ATen/core/Tensor.h>

#include <vector>

namespace ns {

// Returns the values of all tensors, in order, as a tensor of one dimension.
// Quantized ones are dequantized, as each may have a scale of its own. Tensors
// that are undefined, nested or sparse are left out. Without values, it is an
// empty tensor of float32.
at::Tensor AllElements(const std::vector<at::Tensor>& tensors);

}  // namespace ns

#endif  // PASSES_RUNTIME_ALL_ELEMENTS_H_
