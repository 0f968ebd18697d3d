// Names the two formulas by which LibTorch dequantizes, for kernels that work
// through a table.
#ifndef PASSES_KERNELS_ELEMENTWISE_DEQUANTIZE_FORMULA_H_
#define PASSES_KERNELS_ELEMENTWISE_DEQUANTIZE_FORMULA_H_

namespace ns::kernels {

// Both round once, but not to the same float. Where values are ties between two
// quantized values of the output, they may lead to different ones.
enum class DequantizeFormula {
  kSubtract,  // scale * (quantized - zero_point), as Dequantize
  kFma,       // fma(scale, quantized, scale * -zero_point), as Add
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_DEQUANTIZE_FORMULA_H_
