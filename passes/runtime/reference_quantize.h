// What quantizes the inputs and outputs of reference kernels with parameters
// that only the run tells.
//
// Registered as ns::quantize_like and ns::quantize_dynamic.
#ifndef PASSES_RUNTIME_REFERENCE_QUANTIZE_H_
#define PASSES_RUNTIME_REFERENCE_QUANTIZE_H_

#include <ATen/core/Tensor.h>

namespace ns {

// `x`, in float, with the scale, zero point and dtype of `like`, whatever its
// shape. `x` as it is when `like` is not quantized per tensor.
at::Tensor QuantizeLike(const at::Tensor& x, const at::Tensor& like);

// `x`, in float, as unsigned int8 with the parameters that the kernels of
// dynamic ops choose for it: its range takes 0..127 with `reduce_range`, which
// the engine qnnpack ignores, and 0..255 without. An empty `x` as it is.
at::Tensor QuantizeDynamic(const at::Tensor& x, bool reduce_range);

}  // namespace ns

#endif  // PASSES_RUNTIME_REFERENCE_QUANTIZE_H_
