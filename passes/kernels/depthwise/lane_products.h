// Sums of four products of bytes, once for all instruction sets: with vpdpbusd,
// in 16 bits, or in pairs that saturate. `V` is as in lane_simd.h; here, too,
// there is nothing but templates.
#ifndef PASSES_KERNELS_DEPTHWISE_LANE_PRODUCTS_H_
#define PASSES_KERNELS_DEPTHWISE_LANE_PRODUCTS_H_

#include <cstdint>

#include "passes/kernels/depthwise/lane_strip.h"

namespace ns::kernels {

// V is an instruction set with V::Dot(sum, activations, weights): vpdpbusd.
template <typename V>
struct DotProducts {
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
  static Ints Add(Ints sum, Operand a, Operand weights) {
    return V::Dot(sum, a, weights);
  }
};

// Any V.
template <typename V>
struct WideProducts {
  using Ints = typename V::Ints;
  // In 16 bits: first bytes 0 and 2 of each four, then 1 and 3.
  struct Operand {
    Ints even;
    Ints odd;
  };

  static constexpr int64_t kChunkBytes = 2 * V::kBytes;

  static Operand Prepare(Ints bytes) {
    return {V::And(bytes, V::SetShorts(0xFF)), V::ShiftRightShorts(bytes, 8)};
  }
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
    return V::AddInts(sum, V::AddInts(V::MultiplyShorts(a.even, weights.even),
                                      V::MultiplyShorts(a.odd, weights.odd)));
  }
};

// Any V. Pairs of products saturate.
template <typename V>
struct PairProducts {
  using Ints = typename V::Ints;
  using Operand = Ints;

  static constexpr int64_t kChunkBytes = V::kBytes;

  static Operand Prepare(Ints bytes) { return bytes; }
  static Operand Load(const uint8_t* chunk) { return V::Load(chunk); }
  static void Store(uint8_t* chunk, Operand a) { V::Store(chunk, a); }
  static const int8_t* Weights(const LaneStrip& strip, int part) {
    return strip.weights.narrow + part * V::kBytes;
  }
  static Operand LoadWeights(const int8_t* weights, int64_t chunk) {
    return V::Load(weights + chunk * 64);
  }
  static Operand Ones(int which) {
    return V::SetInts((which & 1) | (which & 2) << 7 | (which & 4) << 14 |
                      (which & 8) << 21);
  }
  static Ints Add(Ints sum, Operand a, Operand weights) {
    return V::AddInts(
        sum, V::MultiplyShorts(V::MultiplyBytes(a, weights), V::SetShorts(1)));
  }
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_DEPTHWISE_LANE_PRODUCTS_H_
