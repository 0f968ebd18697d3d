// Quantizes the input of dynamic ops, with qparams for its own range.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_QUANTIZE_DYNAMICALLY_H_
#define PASSES_RUNTIME_FBGEMM_OPS_QUANTIZE_DYNAMICALLY_H_

#include <ATen/core/Tensor.h>

namespace ns {

// Whose results rounding gives. The zero point is an integer, and yet it
// matters when it is added: the sum of a product and a zero point of 60 has 6
// bits less than the product. One value in about 100,000 gets another integer.
enum class DynamicRounding {
  kFbgemm,  // Quantize in passes/kernels/elementwise/quantize.h
  kOneDnn,  // QuantizeShifted there
};

// Returns `x`, a float32 tensor, as a quint8 one, with the scale and zero point
// that fbgemm, or LibTorch for onednn, chooses for its least and largest value
// (passes/kernels/elementwise/choose_qparams.h): in 8 bits, or 7 with
// `reduce_range`. Nans do not count for the range. The result is dense, in the
// suggested memory format of `x`. Throws c10::Error "<op>: ..." for a tensor of
// another dtype, and for infinities.
at::Tensor QuantizeDynamically(
    const at::Tensor& x, bool reduce_range, const char* op,
    DynamicRounding rounding = DynamicRounding::kFbgemm);

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_QUANTIZE_DYNAMICALLY_H_
