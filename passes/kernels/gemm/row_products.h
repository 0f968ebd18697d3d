// Says how the tiles of row_tiles.h multiply: what they hold of four
// activations of a row and of the weights they meet, and how both are added to
// sums. `V` is a class of passes/kernels/simd.
#ifndef PASSES_KERNELS_GEMM_ROW_PRODUCTS_H_
#define PASSES_KERNELS_GEMM_ROW_PRODUCTS_H_

#include <cstdint>

#include "passes/kernels/simd/products.h"

namespace ns::kernels {

// Products of bytes at even k and at odd k, in 16 bits each: vpmaddubsw would
// saturate the sum of two.
template <typename V>
struct ExactRowProducts {
  using Activations = WideBytes<V>;
  using Weights = WideBytes<V>;

  static Weights LoadWeights(const int8_t* from) {
    return WidenSigned<V>(V::LoadAligned(from));
  }
  static Activations SpreadActivations(uint32_t step) {
    return WidenUnsigned<V>(V::SetInts(static_cast<int32_t>(step)));
  }
  static typename V::Ints AddProducts(typename V::Ints sums, Activations a,
                                      Weights weights) {
    return AddWideProducts<V>(sums, a, weights);
  }
};

// Weights and activations as they are in memory.
template <typename V>
struct ByteRowOperands {
  using Activations = typename V::Ints;
  using Weights = typename V::Ints;

  static Weights LoadWeights(const int8_t* from) {
    return V::LoadAligned(from);
  }
  static Activations SpreadActivations(uint32_t step) {
    return V::SetInts(static_cast<int32_t>(step));
  }
};

template <typename V>
struct SaturatingRowProducts : ByteRowOperands<V> {
  static typename V::Ints AddProducts(typename V::Ints sums, typename V::Ints a,
                                      typename V::Ints weights) {
    return AddSaturatedProducts<V>(sums, a, weights);
  }
};

// Exact ones, of V with vpdpbusd.
template <typename V>
struct DotRowProducts : ByteRowOperands<V> {
  static typename V::Ints AddProducts(typename V::Ints sums, typename V::Ints a,
                                      typename V::Ints weights) {
    return V::Dot(sums, a, weights);
  }
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_ROW_PRODUCTS_H_
