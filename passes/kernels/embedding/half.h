// Converts fp16 to float without the F16C instructions.
#ifndef PASSES_KERNELS_EMBEDDING_HALF_H_
#define PASSES_KERNELS_EMBEDDING_HALF_H_

#include <cstdint>
#include <cstring>

namespace ns::kernels {

// Returns the value of the fp16 at `half`, which need not be aligned. It is
// static so that each source file has its own copy: some are compiled for
// instruction sets that not every processor has.
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
