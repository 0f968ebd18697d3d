// Casts the inputs of shadow subgraphs when an instrumented graph runs. A value
// may be float or quantized, and only the run tells which.
//
// The functions are registered as the operators ns::as_float, ns::as_half and
// ns::as_quantized, for tensors and for lists of tensors, and
// ns::quantized_like.
#ifndef PASSES_RUNTIME_DTYPE_CASTS_H_
#define PASSES_RUNTIME_DTYPE_CASTS_H_

#include <ATen/core/Tensor.h>

namespace ns {

// Returns `x` dequantized, or widened from half or bfloat16 to float32. Tensors
// of other dtypes (indices, masks, float) are returned as they are.
at::Tensor AsFloat(const at::Tensor& x);

// Returns AsFloat(x) rounded to half precision. Indices and masks are returned
// as they are.
at::Tensor AsHalf(const at::Tensor& x);

// Returns AsFloat(x) quantized per tensor. A tensor that is quantized already
// keeps its own qparams; indices and masks are returned as they are.
at::Tensor AsQuantized(const at::Tensor& x, double scale, int64_t zero_point,
                       at::ScalarType dtype);

// Returns `x` in the dtype of `like`: quantized with its scale and zero point
// where that is quantized per tensor, and converted where it holds floats of
// another width. Otherwise, `x` is returned as it is.
at::Tensor QuantizedLike(const at::Tensor& x, const at::Tensor& like);

}  // namespace ns

#endif  // PASSES_RUNTIME_DTYPE_CASTS_H_
