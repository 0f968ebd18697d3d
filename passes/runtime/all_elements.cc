#include "passes/runtime/all_elements.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include "passes/runtime/is_dense.h"

namespace ns {

at::Tensor AllElements(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> values;
  for (const at::Tensor& tensor : tensors) {
    if (tensor.defined() && IsDense(tensor) && tensor.numel() > 0) {
      values.push_back(
          (tensor.is_quantized() ? tensor.dequantize() : tensor).flatten());
    }
  }
  return values.empty() ? at::empty({0}) : at::cat(values);
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def("all_elements(Tensor[] tensors) -> Tensor", AllElements);
}

}  // namespace ns
