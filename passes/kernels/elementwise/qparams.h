// How codes relate to real values.
#ifndef PASSES_KERNELS_ELEMENTWISE_QPARAMS_H_
#define PASSES_KERNELS_ELEMENTWISE_QPARAMS_H_

#include <cstdint>

namespace ns::kernels {

// A code q is (q - zero_point) * scale. The zero point is itself a code: 0 to
// 255, or -128 to 127 where codes are s8. LibTorch keeps scales in double; its
// kernels, too, round them to float first.
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

// Codes of one tensor, as an operand.
struct Codes {
  const uint8_t* data = nullptr;
  QParams qparams;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_QPARAMS_H_
