// What a shadow subgraph's inputs pass through when an instrumented graph runs:
// a value may be of either dtype, and only the run tells.
//
// Registered as ns::as_float, ns::as_half and ns::as_quantized, on tensors and
// on lists of tensors.
#ifndef PASSES_RUNTIME_DTYPE_CASTS_H_
#define PASSES_RUNTIME_DTYPE_CASTS_H_

#include <ATen/core/Tensor.h>

namespace ns {

// `x` dequantized, or widened from half or bfloat16 to float32. Tensors of
// other dtypes (indices, masks, float) are handed on as they are.
at::Tensor AsFloat(const at::Tensor& x);

// AsFloat(x) rounded to half precision. Indices and masks are handed on as they
// are.
at::Tensor AsHalf(const at::Tensor& x);

// AsFloat(x) quantized per tensor. A tensor that is quantized already keeps its
// own parameters; indices and masks are handed on as they are.
at::Tensor AsQuantized(const at::Tensor& x, double scale, int64_t zero_point,
                       at::ScalarType dtype);

}  // namespace ns

#endif  // PASSES_RUNTIME_DTYPE_CASTS_H_
