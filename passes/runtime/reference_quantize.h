// Quantizes the inputs and outputs of reference kernels with qparams that only
// the run tells.
//
// The functions are registered as the operators ns::quantize_like and
// ns::quantize_dynamic.
#ifndef PASSES_RUNTIME_REFERENCE_QUANTIZE_H_
#define PASSES_RUNTIME_REFERENCE_QUANTIZE_H_

#include <ATen/core/Tensor.h>

namespace ns {

// Returns `x`, a float tensor, quantized with the scale, zero point and dtype
// of `like`, which may have another shape. Returns `x` itself when `like` is
// not quantized per tensor.
at::Tensor QuantizeLike(const at::Tensor& x, const at::Tensor& like);

// Returns `x`, a float tensor, quantized to uint8 with the qparams that kernels
// of dynamic ops choose for it: its range becomes 0..127 with `reduce_range`,
// which the engine qnnpack ignores, and 0..255 without. Returns an empty `x` as
// it is.
at::Tensor QuantizeDynamic(const at::Tensor& x, bool reduce_range);

}  // namespace ns

#endif  // PASSES_RUNTIME_REFERENCE_QUANTIZE_H_
