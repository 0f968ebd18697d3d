// Says how kernels of lanes keep operands and add up four products of bytes:
// with vpdpbusd, in 16 bits, or in pairs that saturate.
//
// `V` is as in lane_simd.h; here, too, there is nothing but templates.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_PRODUCTS_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_PRODUCTS_H_

#include <cstdint>

#include "passes/kernels/depthwise/lane_strip.h"
#include "passes/kernels/simd/products.h"

namespace ns::kernels {

// Operands that are vectors of bytes.
template <typename V>
struct ByteOperands {
  using Ints = typename V::Ints;
  using Operand = Ints;

  // Bytes of a chunk of activations in scratch memory.
  static constexpr int64_t kChunkBytes = V::kBytes;

  static Operand Prepare(Ints bytes) { return bytes; }
  static Operand Load(const uint8_t* chunk) { return V::Load(chunk); }
  static void Store(uint8_t* chunk, Operand a) { V::Store(chunk, a); }

  // The weights of a block, and those of its chunk `chunk`, counted from the
  // first step.
  static const int8_t* Weights(const LaneStrip& strip, int part) {
    return strip.weights.narrow + part * V::kBytes;
  }
  static Operand LoadWeights(const int8_t* weights, int64_t chunk) {
    return V::Load(weights + chunk * 64);
  }
  // Weights of 1 where bits of `which` are set, and 0.
  static Operand Ones(int which) {
    return V::SetInts((which & 1) | (which & 2) << 7 | (which & 4) << 14 |
                      (which & 8) << 21);
  }
};

// Sums are exact. V has V::Dot.
template <typename V>
struct DotProducts : ByteOperands<V> {
  using Ints = typename V::Ints;

  static Ints Add(Ints sum, Ints a, Ints weights) {
    return V::Dot(sum, a, weights);
  }
};

// The sums of pairs saturate.
template <typename V>
struct PairProducts : ByteOperands<V> {
  using Ints = typename V::Ints;

  static Ints Add(Ints sum, Ints a, Ints weights) {
    return AddSaturatedProducts<V>(sum, a, weights);
  }
};

// Sums are exact, of operands that are widened to 16 bits beforehand.
template <typename V>
struct WideProducts {
  using Ints = typename V::Ints;
  using Operand = WideBytes<V>;

  static constexpr int64_t kChunkBytes = 2 * V::kBytes;

  static Operand Prepare(Ints bytes) { return WidenUnsigned<V>(bytes); }
  static Operand Load(const uint8_t* chunk) {
    return {V::Load(chunk), V::Load(chunk + V::kBytes)};
  }
  static void Store(uint8_t* chunk, Operand a) {
    V::Store(chunk, a.even);
    V::Store(chunk + V::kBytes, a.odd);
  }

  static const int16_t* Weights(const LaneStrip& strip, int part) {
    return strip.weights.wide + part * V::kBytes / 2;
  }
  static Operand LoadWeights(const int16_t* weights, int64_t chunk) {
    return {V::Load(weights + chunk * 64), V::Load(weights + chunk * 64 + 32)};
  }
  static Operand Ones(int which) {
    return {V::SetInts((which & 1) | (which & 4) << 14),
            V::SetInts((which & 2) >> 1 | (which & 8) << 13)};
  }
  static Ints Add(Ints sum, Operand a, Operand weights) {
    return AddWideProducts<V>(sum, a, weights);
  }
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_PRODUCTS_H_
