// Relates quantized values to real values, by a scale and a zero point.
#ifndef PASSES_KERNELS_ELEMENTWISE_QPARAMS_H_
#define PASSES_KERNELS_ELEMENTWISE_QPARAMS_H_

#include <cstdint>

namespace ns::kernels {

// A quantized value q is (q - zero_point) * scale. The zero point is itself a
// quantized value: 0 to 255, or -128 to 127 where quantized values are s8.
// LibTorch keeps scales in double; its kernels, too, round them to float first.
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

// The quantized values of one tensor, as an operand.
struct QuantizedOperand {
  const uint8_t* data = nullptr;
  QParams qparams;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_QPARAMS_H_
