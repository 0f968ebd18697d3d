// How kernels that go by way of a table take the value of a code.
#ifndef PASSES_KERNELS_ELEMENTWISE_CODE_READING_H_
#define PASSES_KERNELS_ELEMENTWISE_CODE_READING_H_

namespace ns::kernels {

// Both are rounded once, but not to the same float, and where values are ties
// of the output's codes, not to the same code.
enum class CodeReading {
  kSubtract,  // scale * (code - zero_point), as Dequantize
  kFma,       // fma(scale, code, scale * -zero_point), as Add
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_CODE_READING_H_
