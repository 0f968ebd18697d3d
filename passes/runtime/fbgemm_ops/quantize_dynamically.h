// Quantizes the input of dynamic ops, with qparams for its own range.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_QUANTIZE_DYNAMICALLY_H_
#define PASSES_RUNTIME_FBGEMM_OPS_QUANTIZE_DYNAMICALLY_H_

#include <ATen/core/Tensor.h>

namespace ns {

// Quantized values of `x`, a float tensor, with the scale and zero point that
// fbgemm chooses for its least and largest value: 8 bits, or 7 with
// `reduce_range`. Dense; of the layout of `x` if that is dense. Throws
// c10::Error "<op>: ..." for a tensor of another dtype, and for infinities.
at::Tensor QuantizeDynamically(const at::Tensor& x, bool reduce_range,
                               const char* op);

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_QUANTIZE_DYNAMICALLY_H_
