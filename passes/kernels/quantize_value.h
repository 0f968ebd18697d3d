// Quantizes one value, rounding as LibTorch's vectorised kernels do.
#ifndef PASSES_KERNELS_QUANTIZE_VALUE_H_
#define PASSES_KERNELS_QUANTIZE_VALUE_H_

#include <cstdint>

namespace ns::kernels {

// Does what QuantizeAvx2 and QuantizeAvx512 of LibTorch do
// (ATen/cpu/vec/vec256/vec256_qint.h):
//
//   y    = min(x * multiplier, 2147483520), of nan the second
//   q    = saturate_u8(round(y) + zero_point)
//
// round is to nearest, ties to even, and gives INT_MIN below s32. The sum
// wraps: with zero points above 127, what is clipped (and nan) gives 0, with
// others 255. The product is rounded before it is used.
uint8_t QuantizeValue(float x, float multiplier, int32_t zero_point);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_QUANTIZE_VALUE_H_
