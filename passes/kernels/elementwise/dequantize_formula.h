// Names the two formulas by which LibTorch dequantizes, for kernels that work
// through a table.
#ifndef PASSES_KERNELS_ELEMENTWISE_DEQUANTIZE_FORMULA_H_
#define PASSES_KERNELS_ELEMENTWISE_DEQUANTIZE_FORMULA_H_

namespace ns::kernels {

// They may give floats that differ in rounding: kSubtract rounds once, kFma the
// product with the zero point, too. A value halfway between two quantized
// values of the output may then become either.
enum class DequantizeFormula {
  kSubtract,  // scale * (quantized - zero_point), as Dequantize
  kFma,       // fma(scale, quantized, scale * -zero_point), as Add
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_DEQUANTIZE_FORMULA_H_
