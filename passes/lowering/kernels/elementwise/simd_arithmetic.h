// Loops over codes as operands.
#ifndef PASSES_LOWERING_KERNELS_ELEMENTWISE_SIMD_ARITHMETIC_H_
#define PASSES_LOWERING_KERNELS_ELEMENTWISE_SIMD_ARITHMETIC_H_

#include <cstdint>

#include "passes/lowering/kernels/elementwise/qparams.h"
#include "passes/lowering/kernels/elementwise/simd_blocks.h"
#include "passes/lowering/kernels/elementwise/simd_conversions.h"

namespace ns::kernels {

// The values of an operand of a sum: fma(scale, code, scale * -zero_point).
template <typename V>
class Summand {
 public:
  explicit Summand(const Codes& codes)
      : codes_(codes.data),
        scale_(V::SetFloats(codes.qparams.scale)),
        zero_(V::SetFloats(codes.qparams.scale *
                           -static_cast<float>(codes.qparams.zero_point))) {}

  template <typename Block>
  typename V::Floats Load(int64_t i, const Block& block, int quarter) const {
    const auto codes = V::ToFloats(block.LoadCodes(codes_ + i, quarter));
    return V::MultiplyAdd(scale_, codes, zero_);
  }

 private:
  const uint8_t* codes_;
  typename V::Floats scale_;
  typename V::Floats zero_;
};

// What becomes of results that fit in s32 with room to spare: the zero point is
// added where that takes half the work, in s16, and relu is a bound of codes.
template <typename V>
class TameEncoder {
 public:
  TameEncoder(QParams qparams, bool relu)
      : zero_point_(V::SetShorts(qparams.zero_point)),
        least_(V::SetBytes(relu ? qparams.zero_point : 0)) {}

  typename V::Bytes operator()(typename V::Ints a, typename V::Ints b,
                               typename V::Ints c, typename V::Ints d) const {
    const auto low = V::AddSaturated(V::PackShorts(a, b), zero_point_);
    const auto high = V::AddSaturated(V::PackShorts(c, d), zero_point_);
    return V::MaxCodes(V::Sort(V::PackCodes(low, high, uint8_t())), least_,
                       uint8_t());
  }

 private:
  typename V::Ints zero_point_;
  typename V::Bytes least_;
};

template <typename V>
void AddTame(const Codes& a, const Codes& b, int64_t count, bool relu,
             QParams out_qparams, uint8_t* out) {
  const Summand<V> left(a);
  const Summand<V> right(b);
  const TameEncoder<V> encode(out_qparams, relu);
  const auto inverse_scale = V::SetFloats(1.0f / out_qparams.scale);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto sum = [=](int quarter) {
      return V::Round(V::Multiply(
          V::Add(left.Load(i, block, quarter), right.Load(i, block, quarter)),
          inverse_scale));
    };
    block.StoreBytes(out + i, encode(sum(0), sum(1), sum(2), sum(3)));
  });
}

// left(i, block, quarter) are the values of the left operand.
template <typename V, bool kRelu, typename Left>
void AddAny(const Left& left, const Codes& b, int64_t count,
            QParams out_qparams, uint8_t* out) {
  const Summand<V> right(b);
  const auto inverse_scale = V::SetFloats(1.0f / out_qparams.scale);
  const auto zero_point = V::SetInts(out_qparams.zero_point);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto encode = [=](int quarter) {
      auto sum = V::Add(left(i, block, quarter), right.Load(i, block, quarter));
      if constexpr (kRelu) {
        // In this order, a nan stays.
        sum = V::Max(V::SetFloats(0), sum);
      }
      return RoundWrapping<V>(V::Multiply(sum, inverse_scale), zero_point);
    };
    block.StoreBytes(out + i, PackBlock<V, uint8_t>(encode(0), encode(1),
                                                    encode(2), encode(3)));
  });
}

template <typename V, typename Left>
void AddAny(const Left& left, const Codes& b, int64_t count, bool relu,
            QParams out_qparams, uint8_t* out) {
  if (relu) {
    AddAny<V, true>(left, b, count, out_qparams, out);
  } else {
    AddAny<V, false>(left, b, count, out_qparams, out);
  }
}

template <typename V>
void Add(Codes a, Codes b, int64_t count, bool relu, QParams out_qparams,
         bool is_tame, uint8_t* out) {
  if (is_tame) {
    AddTame<V>(a, b, count, relu, out_qparams, out);
    return;
  }
  const Summand<V> summand(a);
  const auto left = [=](int64_t i, const auto& block, int quarter) {
    return summand.Load(i, block, quarter);
  };
  AddAny<V>(left, b, count, relu, out_qparams, out);
}

template <typename V>
void AddFloats(const float* a, Codes b, int64_t count, bool relu,
               QParams out_qparams, uint8_t* out) {
  const auto left = [=](int64_t i, const auto& block, int quarter) {
    return block.Load(a + i, quarter);
  };
  AddAny<V>(left, b, count, relu, out_qparams, out);
}

// Products of what can be wild are taken in s32.
template <typename V>
void MultiplyAny(const Codes& a, const Codes& b, int64_t count, bool relu,
                 float multiplier, int32_t out_zero_point, uint8_t* out) {
  const auto a_zero = V::SetInts(a.qparams.zero_point);
  const auto b_zero = V::SetInts(b.qparams.zero_point);
  const auto factor = V::SetFloats(multiplier);
  const auto zero_point = V::SetInts(out_zero_point);
  const auto least = V::SetInts(relu ? out_zero_point : INT32_MIN);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto encode = [=](int quarter) {
      const auto product = V::Multiply(
          V::Subtract(block.LoadCodes(a.data + i, quarter), a_zero),
          V::Subtract(block.LoadCodes(b.data + i, quarter), b_zero));
      const auto rounded = V::Round(V::Multiply(V::ToFloats(product), factor));
      return V::Max(V::Add(rounded, zero_point), least);
    };
    block.StoreBytes(out + i, PackBlock<V, uint8_t>(encode(0), encode(1),
                                                    encode(2), encode(3)));
  });
}

// Those of codes less zero points that are codes fit in a float.
template <typename V>
void MultiplyTame(const Codes& a, const Codes& b, int64_t count, bool relu,
                  float multiplier, QParams out_qparams, uint8_t* out) {
  const auto a_zero = V::SetInts(a.qparams.zero_point);
  const auto b_zero = V::SetInts(b.qparams.zero_point);
  const auto factor = V::SetFloats(multiplier);
  const TameEncoder<V> encode(out_qparams, relu);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto product = [=](int quarter) {
      const auto left = V::ToFloats(
          V::Subtract(block.LoadCodes(a.data + i, quarter), a_zero));
      const auto right = V::ToFloats(
          V::Subtract(block.LoadCodes(b.data + i, quarter), b_zero));
      return V::Round(V::Multiply(V::Multiply(left, right), factor));
    };
    block.StoreBytes(out + i,
                     encode(product(0), product(1), product(2), product(3)));
  });
}

template <typename V>
void Multiply(Codes a, Codes b, int64_t count, bool relu, QParams out_qparams,
              bool is_tame, uint8_t* out) {
  const float multiplier =
      a.qparams.scale * b.qparams.scale * (1.0f / out_qparams.scale);
  if (is_tame) {
    MultiplyTame<V>(a, b, count, relu, multiplier, out_qparams, out);
  } else {
    MultiplyAny<V>(a, b, count, relu, multiplier, out_qparams.zero_point, out);
  }
}

template <typename V, typename Code>
void Clamp(const Code* codes, int64_t count, Code min, Code max, Code* out) {
  const auto least = V::SetBytes(min);
  const auto greatest = V::SetBytes(max);
  ForBlocks<V>(count, [=](int64_t i, const auto& block) {
    const auto above = V::MaxCodes(block.LoadBytes(codes + i), least, Code());
    block.StoreBytes(out + i, V::MinCodes(above, greatest, Code()));
  });
}

}  // namespace ns::kernels

#endif  // PASSES_LOWERING_KERNELS_ELEMENTWISE_SIMD_ARITHMETIC_H_
