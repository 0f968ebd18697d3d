// Relates quantized values to real values, by a scale and a zero point.
#ifndef PASSES_KERNELS_QPARAMS_H_
#define PASSES_KERNELS_QPARAMS_H_

#include <cstdint>

namespace ns::kernels {

// A quantized value q stands for the real value (q - zero_point) * scale. The
// zero point must be in the range of quantized values: 0 to 255 for u8, -128 to
// 127 for s8. LibTorch keeps scales in double: cast them to float, as its
// kernels do first.
struct QParams {
  float scale = 1;
  int32_t zero_point = 0;

  friend bool operator==(const QParams& a, const QParams& b) {
    return a.scale == b.scale && a.zero_point == b.zero_point;
  }
  friend bool operator!=(const QParams& a, const QParams& b) {
    return !(a == b);
  }
};

// The quantized values of one tensor, of u8 (quint8), as an operand of Add or
// Multiply. It does not own them; how many there are is said in the call.
struct QuantizedOperand {
  const uint8_t* data = nullptr;
  QParams qparams;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_QPARAMS_H_
