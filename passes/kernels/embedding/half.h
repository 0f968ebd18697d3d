// Reads fp16 without instructions for it.
#ifndef PASSES_KERNELS_EMBEDDING_HALF_H_
#define PASSES_KERNELS_EMBEDDING_HALF_H_

#include <cstdint>
#include <cstring>

namespace ns::kernels {

// The value of the fp16 at `half`, not aligned. Static: sources of instruction
// sets include it.
static inline float HalfToFloat(const uint8_t* half) {
  uint16_t bits = 0;
  memcpy(&bits, half, sizeof(bits));
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 31;
  const uint32_t mantissa = bits & 1023;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign == 0 ? magnitude : -magnitude;
  }
  // Exponents are biased by 15 and 127; infinities and nans have all bits.
  const uint32_t biased = exponent == 31 ? 255 : exponent + 112;
  const uint32_t word = sign | biased << 23 | mantissa << 13;
  float value = 0;
  memcpy(&value, &word, sizeof(value));
  return value;
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_EMBEDDING_HALF_H_
