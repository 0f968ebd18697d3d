// Tells which tensors have elements that can be read one after the other.
#ifndef PASSES_RUNTIME_IS_DENSE_H_
#define PASSES_RUNTIME_IS_DENSE_H_

#include <ATen/core/Tensor.h>

namespace ns {

// False for nested, sparse and oneDNN's own tensors: observers, loggers and
// comparers leave them out.
inline bool IsDense(const at::Tensor& tensor) {
  return !tensor.is_nested() && tensor.layout() == at::kStrided;
}

}  // namespace ns

#endif  // PASSES_RUNTIME_IS_DENSE_H_
