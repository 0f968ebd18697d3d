// Quantizes the input of dynamic ops, with qparams for its own range.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_QUANTIZE_DYNAMICALLY_H_
#define PASSES_RUNTIME_FBGEMM_OPS_QUANTIZE_DYNAMICALLY_H_

#include <ATen/core/Tensor.h>

namespace ns {

// Returns `x`, a float32 tensor, as a quint8 one, with the scale and zero point
// that fbgemm chooses for its least and largest value
// (passes/kernels/elementwise/choose_qparams.h): in 8 bits, or 7 with
// `reduce_range`. Nans do not count for the range. The result is dense, in the
// suggested memory format of `x`. Throws c10::Error "<op>: ..." for a tensor of
// another dtype, and for infinities.
at::Tensor QuantizeDynamically(const at::Tensor& x, bool reduce_range,
                               const char* op);

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_QUANTIZE_DYNAMICALLY_H_
