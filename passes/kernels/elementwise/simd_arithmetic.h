// The loops of simd_kernels.h that add, multiply, scale and clamp quantized
// values. add.h, multiply.h, scale_channels.h and clamp.h have the formulas,
// and kernels.h has `cannot_overflow`. `V` is as in simd/blocks.h.
#ifndef PASSES_KERNELS_ELEMENTWISE_SIMD_ARITHMETIC_H_
#define PASSES_KERNELS_ELEMENTWISE_SIMD_ARITHMETIC_H_

#include <cstdint>

#include "passes/kernels/qparams.h"
#include "passes/kernels/simd/blocks.h"
#include "passes/kernels/simd/quantize.h"

namespace ns::kernels {

// Dequantizes the operands of a sum: fma(scale, quantized, scale *
// -zero_point).
template <typename V>
class Summand {
 public:
  explicit Summand(QParams qparams)
      : scale_(V::SetFloats(qparams.scale)),
        zero_(V::SetFloats(qparams.scale *
                           -static_cast<float>(qparams.zero_point))) {}

  typename V::Floats operator()(typename V::Floats quantized) const {
    return V::MultiplyAdd(scale_, quantized, zero_);
  }

 private:
  typename V::Floats scale_;
  typename V::Floats zero_;
};

// Turns the results of a block, in steps of the output, into quantized values:
// adds the zero point and saturates to u8. The arguments are the quarters of
// the block. The bytes are in the order of memory if the quarters come from
// V::Steps; if they were loaded in order, V::SortPacked must follow.
//
// Results that cannot overflow are first saturated to s16, and the zero point
// is added there, which takes half the work: a value that is out of range stays
// out of range.
template <typename V, bool kCannotOverflow>
class StepsToBytes {
 public:
  // `least` is the least quantized value that is returned.
  StepsToBytes(int32_t zero_point, int32_t least)
      : zero_point_(kCannotOverflow ? V::SetShorts(zero_point)
                                    : V::SetInts(zero_point)),
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

// Converts float sums to steps of the output, rounded.
template <typename V, bool kCannotOverflow>
class SumRounder {
 public:
  SumRounder(QParams qparams, bool relu)
      : inverse_scale_(V::SetFloats(1.0f / qparams.scale)),
        least_(V::SetFloats(relu ? 0 : -__builtin_inff())) {}

  typename V::Ints operator()(typename V::Floats sum) const {
    if constexpr (kCannotOverflow) {
      // The bound `least` of StepsToBytes is the relu.
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
void AddQuantized(const QuantizedOperand& a, const QuantizedOperand& b,
                  int64_t count, bool relu, QParams out_qparams, uint8_t* out) {
  const uint8_t* left_data = a.data;
  const uint8_t* right_data = b.data;
  const Summand<V> left(a.qparams);
  const Summand<V> right(b.qparams);
  const SumRounder<V, kCannotOverflow> round(out_qparams, relu);
  const StepsToBytes<V, kCannotOverflow> quantize(
      out_qparams.zero_point,
      kCannotOverflow && relu ? out_qparams.zero_point : 0);
  const auto no_zero = V::ZeroPoint(0, uint8_t());
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto lefts = block.LoadBytes(left_data + i);
    const auto rights = block.LoadBytes(right_data + i);
    const auto sum = [=](int quarter) {
      return round(V::Add(left(V::Steps(lefts, quarter, no_zero)),
                          right(V::Steps(rights, quarter, no_zero))));
    };
    block.StoreBytes(out + i, quantize(sum(0), sum(1), sum(2), sum(3)));
  });
}

template <typename V>
void Add(QuantizedOperand a, QuantizedOperand b, int64_t count, bool relu,
         QParams out_qparams, bool cannot_overflow, uint8_t* out) {
  if (cannot_overflow) {
    AddQuantized<V, true>(a, b, count, relu, out_qparams, out);
  } else {
    AddQuantized<V, false>(a, b, count, relu, out_qparams, out);
  }
}

template <typename V>
void AddFloats(const float* a, QuantizedOperand b, int64_t count, bool relu,
               QParams out_qparams, uint8_t* out) {
  const uint8_t* right_data = b.data;
  const Summand<V> right(b.qparams);
  const SumRounder<V, false> round(out_qparams, relu);
  const StepsToBytes<V, false> quantize(out_qparams.zero_point, 0);
  const auto no_zero = V::ZeroPoint(0, uint8_t());
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto sum = [=](int quarter) {
      return round(
          V::Add(block.Load(a + i, quarter),
                 right(block.LoadSteps(right_data + i, quarter, no_zero))));
    };
    block.StoreBytes(out + i,
                     V::SortPacked(quantize(sum(0), sum(1), sum(2), sum(3))));
  });
}

// Products of two quantized values less their zero points fit in a float.
template <typename V, bool kCannotOverflow>
void MultiplyQuantized(const QuantizedOperand& a, const QuantizedOperand& b,
                       int64_t count, bool relu, QParams out_qparams,
                       uint8_t* out) {
  const uint8_t* left_data = a.data;
  const uint8_t* right_data = b.data;
  const auto left_zero = V::ZeroPoint(a.qparams.zero_point, uint8_t());
  const auto right_zero = V::ZeroPoint(b.qparams.zero_point, uint8_t());
  const auto multiplier = V::SetFloats(a.qparams.scale * b.qparams.scale *
                                       (1.0f / out_qparams.scale));
  const StepsToBytes<V, kCannotOverflow> quantize(
      out_qparams.zero_point, relu ? out_qparams.zero_point : 0);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto lefts = block.LoadBytes(left_data + i);
    const auto rights = block.LoadBytes(right_data + i);
    const auto product = [=](int quarter) {
      return V::Round(
          V::Multiply(V::Multiply(V::Steps(lefts, quarter, left_zero),
                                  V::Steps(rights, quarter, right_zero)),
                      multiplier));
    };
    block.StoreBytes(out + i,
                     quantize(product(0), product(1), product(2), product(3)));
  });
}

template <typename V>
void Multiply(QuantizedOperand a, QuantizedOperand b, int64_t count, bool relu,
              QParams out_qparams, bool cannot_overflow, uint8_t* out) {
  if (cannot_overflow) {
    MultiplyQuantized<V, true>(a, b, count, relu, out_qparams, out);
  } else {
    MultiplyQuantized<V, false>(a, b, count, relu, out_qparams, out);
  }
}

template <typename V>
void ScaleEach(const uint8_t* quantized, int64_t count, int32_t zero_point,
               const float* factors, const float* offsets,
               int32_t out_zero_point, uint8_t least, uint8_t* out) {
  const auto zero = V::ZeroPoint(zero_point, uint8_t());
  const auto out_zero = V::SetInts(out_zero_point);
  const auto least_bytes = V::SetBytes(least);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto quantize = [=](int quarter) {
      const auto scaled =
          V::MultiplyAdd(block.Load(factors + i, quarter),
                         block.LoadSteps(quantized + i, quarter, zero),
                         block.Load(offsets + i, quarter));
      return V::Add(RoundLimited<V>(scaled), out_zero);
    };
    const auto packed = PackBytes<V, uint8_t>(quantize(0), quantize(1),
                                              quantize(2), quantize(3));
    block.StoreBytes(out + i, V::MaxBytes(packed, least_bytes, uint8_t()));
  });
}

template <typename V, typename Quantized>
void Clamp(const Quantized* quantized, int64_t count, Quantized min,
           Quantized max, Quantized* out) {
  const auto least = V::SetBytes(min);
  const auto greatest = V::SetBytes(max);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto above =
        V::MaxBytes(block.LoadBytes(quantized + i), least, Quantized());
    block.StoreBytes(out + i, V::MinBytes(above, greatest, Quantized()));
  });
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_SIMD_ARITHMETIC_H_
