// Quantizes floats in vectors, as quantize_value.h says; `V` is as in blocks.h.
#ifndef PASSES_KERNELS_SIMD_QUANTIZE_H_
#define PASSES_KERNELS_SIMD_QUANTIZE_H_

namespace ns::kernels {

// Rounds `scaled` to s32, ties to even. What is above 2147483520, the greatest
// float that s32 holds, becomes that number, and so does nan, for which Min
// returns its second operand. Without the limit, both would become INT_MIN, as
// what is below s32 does.
template <typename V>
typename V::Ints RoundLimited(typename V::Floats scaled) {
  return V::Round(V::Min(scaled, V::SetFloats(2147483520.0f)));
}

// Packs four vectors of s32 to bytes, saturated, in the order of their
// elements. `Byte` is uint8_t or int8_t.
template <typename V, typename Byte>
typename V::Ints PackBytes(typename V::Ints a, typename V::Ints b,
                           typename V::Ints c, typename V::Ints d) {
  return V::SortPacked(
      V::PackShorts(V::PackInts(a, b), V::PackInts(c, d), Byte()));
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_SIMD_QUANTIZE_H_
