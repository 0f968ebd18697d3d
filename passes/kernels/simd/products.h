// Adds products of activations, unsigned bytes, and weights, signed bytes, to
// sums of 32 bits: four neighbours to each. `V` is as in blocks.h.
//
// Where V::kHasDot, V::Dot does the same, exactly.
#ifndef PASSES_KERNELS_SIMD_PRODUCTS_H_
#define PASSES_KERNELS_SIMD_PRODUCTS_H_

namespace ns::kernels {

// Bytes in 16 bits each: of every four, 0 and 2 are in `even`, 1 and 3 in
// `odd`.
template <typename V>
struct WideBytes {
  typename V::Ints even;
  typename V::Ints odd;
};

template <typename V>
WideBytes<V> WidenUnsigned(typename V::Ints bytes) {
  return {V::And(bytes, V::SetShorts(0xFF)), V::ShiftRightShorts(bytes, 8)};
}

template <typename V>
WideBytes<V> WidenSigned(typename V::Ints bytes) {
  return {V::ShiftRightSignedShorts(V::ShiftLeftShorts(bytes, 8), 8),
          V::ShiftRightSignedShorts(bytes, 8)};
}

// Adds the products exactly, whatever the bytes are.
template <typename V>
typename V::Ints AddWideProducts(typename V::Ints sums, WideBytes<V> a,
                                 WideBytes<V> weights) {
  sums = V::Add(sums, V::SumPairProducts(a.even, weights.even));
  return V::Add(sums, V::SumPairProducts(a.odd, weights.odd));
}

// Adds the products after those of two neighbours are summed in 16 bits, which
// saturates as saturation_mode.h says.
template <typename V>
typename V::Ints AddSaturatedProducts(typename V::Ints sums, typename V::Ints a,
                                      typename V::Ints weights) {
  return V::Add(sums,
                V::SumPairProducts(V::SumSaturatedPairProducts(a, weights),
                                   V::SetShorts(1)));
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_SIMD_PRODUCTS_H_
