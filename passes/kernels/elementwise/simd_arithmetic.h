// Loops over codes as operands.
#ifndef PASSES_KERNELS_ELEMENTWISE_SIMD_ARITHMETIC_H_
#define PASSES_KERNELS_ELEMENTWISE_SIMD_ARITHMETIC_H_

#include <cstdint>

#include "passes/kernels/elementwise/qparams.h"
#include "passes/kernels/simd/blocks.h"
#include "passes/kernels/simd/quantize.h"

namespace ns::kernels {

// Values of codes that are an operand of a sum:
// fma(scale, code, scale * -zero_point).
template <typename V>
class Summand {
 public:
  explicit Summand(QParams qparams)
      : scale_(V::SetFloats(qparams.scale)),
        zero_(V::SetFloats(qparams.scale *
                           -static_cast<float>(qparams.zero_point))) {}

  typename V::Floats operator()(typename V::Floats codes) const {
    return V::MultiplyAdd(scale_, codes, zero_);
  }

 private:
  typename V::Floats scale_;
  typename V::Floats zero_;
};

// Steps of the output to codes, in the order of V::Steps of a block.
//
// What cannot overflow (see ElementwiseKernels) fits in s32 with room to spare: the zero
// point is added where that takes half the work, in s16, after saturation that
// leaves what is not a code no code.
template <typename V, bool kCannotOverflow>
class Encoder {
 public:
  // Codes are at least `least`.
  Encoder(int32_t zero_point, int32_t least)
      : zero_point_(kCannotOverflow ? V::SetShorts(zero_point) : V::SetInts(zero_point)),
        least_(V::SetBytes(least)) {}

  typename V::Ints operator()(typename V::Ints a, typename V::Ints b,
                              typename V::Ints c, typename V::Ints d) const {
    typename V::Ints low;
    typename V::Ints high;
    if constexpr (kCannotOverflow) {
      low = V::AddSaturatedShorts(V::PackInts(a, b), zero_point_);
      high = V::AddSaturatedShorts(V::PackInts(c, d), zero_point_);
    } else {
      low = V::PackInts(V::Add(a, zero_point_), V::Add(b, zero_point_));
      high = V::PackInts(V::Add(c, zero_point_), V::Add(d, zero_point_));
    }
    return V::MaxBytes(V::PackShorts(low, high, uint8_t()), least_, uint8_t());
  }

 private:
  typename V::Ints zero_point_;
  typename V::Ints least_;
};

// Sums in steps of the output, rounded.
template <typename V, bool kCannotOverflow>
class SumRounder {
 public:
  SumRounder(QParams qparams, bool relu)
      : inverse_scale_(V::SetFloats(1.0f / qparams.scale)),
        least_(V::SetFloats(relu ? 0 : -__builtin_inff())) {}

  typename V::Ints operator()(typename V::Floats sum) const {
    if constexpr (kCannotOverflow) {
      // Relu is the encoder's bound.
      return V::Round(V::Multiply(sum, inverse_scale_));
    } else {
      // In this order, a nan stays.
      const auto kept = V::Max(least_, sum);
      return RoundLimited<V>(V::Multiply(kept, inverse_scale_));
    }
  }

 private:
  typename V::Floats inverse_scale_;
  typename V::Floats least_;
};

template <typename V, bool kCannotOverflow>
void AddCodes(const Codes& a, const Codes& b, int64_t count, bool relu,
              QParams out_qparams, uint8_t* out) {
  const uint8_t* left_codes = a.data;
  const uint8_t* right_codes = b.data;
  const Summand<V> left(a.qparams);
  const Summand<V> right(b.qparams);
  const SumRounder<V, kCannotOverflow> round(out_qparams, relu);
  const Encoder<V, kCannotOverflow> encode(out_qparams.zero_point,
                                 kCannotOverflow && relu ? out_qparams.zero_point : 0);
  const auto no_zero = V::ZeroPoint(0, uint8_t());
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto lefts = block.LoadBytes(left_codes + i);
    const auto rights = block.LoadBytes(right_codes + i);
    const auto sum = [=](int quarter) {
      return round(V::Add(left(V::Steps(lefts, quarter, no_zero)),
                          right(V::Steps(rights, quarter, no_zero))));
    };
    block.StoreBytes(out + i, encode(sum(0), sum(1), sum(2), sum(3)));
  });
}

template <typename V>
void Add(Codes a, Codes b, int64_t count, bool relu, QParams out_qparams,
         bool cannot_overflow, uint8_t* out) {
  if (cannot_overflow) {
    AddCodes<V, true>(a, b, count, relu, out_qparams, out);
  } else {
    AddCodes<V, false>(a, b, count, relu, out_qparams, out);
  }
}

template <typename V>
void AddFloats(const float* a, Codes b, int64_t count, bool relu,
               QParams out_qparams, uint8_t* out) {
  const uint8_t* right_codes = b.data;
  const Summand<V> right(b.qparams);
  const SumRounder<V, false> round(out_qparams, relu);
  const Encoder<V, false> encode(out_qparams.zero_point, 0);
  const auto no_zero = V::ZeroPoint(0, uint8_t());
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto sum = [=](int quarter) {
      return round(
          V::Add(block.Load(a + i, quarter),
                 right(block.LoadSteps(right_codes + i, quarter, no_zero))));
    };
    block.StoreBytes(out + i,
                     V::SortPacked(encode(sum(0), sum(1), sum(2), sum(3))));
  });
}

// Products of two codes less their zero points fit in a float.
template <typename V, bool kCannotOverflow>
void MultiplyCodes(const Codes& a, const Codes& b, int64_t count, bool relu,
                   QParams out_qparams, uint8_t* out) {
  const uint8_t* left_codes = a.data;
  const uint8_t* right_codes = b.data;
  const auto left_zero = V::ZeroPoint(a.qparams.zero_point, uint8_t());
  const auto right_zero = V::ZeroPoint(b.qparams.zero_point, uint8_t());
  const auto multiplier = V::SetFloats(a.qparams.scale * b.qparams.scale *
                                       (1.0f / out_qparams.scale));
  const Encoder<V, kCannotOverflow> encode(out_qparams.zero_point,
                                 relu ? out_qparams.zero_point : 0);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto lefts = block.LoadBytes(left_codes + i);
    const auto rights = block.LoadBytes(right_codes + i);
    const auto product = [=](int quarter) {
      return V::Round(
          V::Multiply(V::Multiply(V::Steps(lefts, quarter, left_zero),
                                  V::Steps(rights, quarter, right_zero)),
                      multiplier));
    };
    block.StoreBytes(out + i,
                     encode(product(0), product(1), product(2), product(3)));
  });
}

template <typename V>
void Multiply(Codes a, Codes b, int64_t count, bool relu, QParams out_qparams,
              bool cannot_overflow, uint8_t* out) {
  if (cannot_overflow) {
    MultiplyCodes<V, true>(a, b, count, relu, out_qparams, out);
  } else {
    MultiplyCodes<V, false>(a, b, count, relu, out_qparams, out);
  }
}

template <typename V>
void ScaleEach(const uint8_t* codes, int64_t count, int32_t zero_point,
               const float* factors, const float* offsets,
               int32_t out_zero_point, uint8_t least, uint8_t* out) {
  const auto zero = V::ZeroPoint(zero_point, uint8_t());
  const auto out_zero = V::SetInts(out_zero_point);
  const auto least_codes = V::SetBytes(least);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto encode = [=](int quarter) {
      const auto scaled =
          V::MultiplyAdd(block.Load(factors + i, quarter),
                         block.LoadSteps(codes + i, quarter, zero),
                         block.Load(offsets + i, quarter));
      return V::Add(RoundLimited<V>(scaled), out_zero);
    };
    const auto packed =
        PackBytes<V, uint8_t>(encode(0), encode(1), encode(2), encode(3));
    block.StoreBytes(out + i, V::MaxBytes(packed, least_codes, uint8_t()));
  });
}

template <typename V, typename Code>
void Clamp(const Code* codes, int64_t count, Code min, Code max, Code* out) {
  const auto least = V::SetBytes(min);
  const auto greatest = V::SetBytes(max);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto above = V::MaxBytes(block.LoadBytes(codes + i), least, Code());
    block.StoreBytes(out + i, V::MinBytes(above, greatest, Code()));
  });
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_SIMD_ARITHMETIC_H_
