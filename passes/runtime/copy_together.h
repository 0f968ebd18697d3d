// Copies tensors that may overlap in memory, so that the copies overlap in the
// same way. The function is registered as the operator ns::copy_together.
#ifndef PASSES_RUNTIME_COPY_TOGETHER_H_
#define PASSES_RUNTIME_COPY_TOGETHER_H_

#include <ATen/core/Tensor.h>

#include <vector>

namespace ns {

// Returns a copy of each tensor. Where some of them share memory, what an op in
// place computes of them may depend on it:
//
//   x.transpose(0, 1).add_(x)
//
// Their copies share memory, too, with the strides of the originals. All other
// tensors are cloned by themselves.
std::vector<at::Tensor> CopyTogether(const std::vector<at::Tensor>& tensors);

}  // namespace ns

#endif  // PASSES_RUNTIME_COPY_TOGETHER_H_
