// Turns vectors of sums of products into outputs, as OutputPlan says; `V` is as
// in blocks.h.
#ifndef PASSES_KERNELS_SIMD_REQUANTIZE_H_
#define PASSES_KERNELS_SIMD_REQUANTIZE_H_

#include "passes/kernels/output_pipeline.h"

namespace ns::kernels {

// Rounds sums to outputs of kU8 and kS8 that have not yet had their zero point,
// which RequantizedBytes adds.
template <typename V>
typename V::Ints RoundSums(typename V::Ints sums, typename V::Floats addend,
                           typename V::Floats addend_factor,
                           typename V::Floats multiplier) {
  const typename V::Floats x =
      V::MultiplyAdd(addend, addend_factor, V::ToFloats(sums));
  return V::Round(V::Multiply(x, multiplier));
}

// Gives outputs of kF32. Min and Max give the second operand when one is a nan,
// or both are equal.
template <typename V>
typename V::Floats DequantizeSums(typename V::Ints sums,
                                  typename V::Floats addend,
                                  typename V::Floats multiplier,
                                  typename V::Floats min,
                                  typename V::Floats max) {
  return V::Min(
      max, V::Max(min, V::MultiplyAdd(V::ToFloats(sums), multiplier, addend)));
}

// Makes bytes of rounded sums: adds the zero point, saturates and clamps.
template <typename V>
class RequantizedBytes {
 public:
  using Ints = typename V::Ints;

  explicit RequantizedBytes(const ByteConstants& constants)
      : zero_points_(Repeat(constants.zero_points)),
        moves_(Repeat(constants.moves)),
        mins_(Repeat(constants.mins)),
        maxes_(Repeat(constants.maxes)) {}

  // Saturates four vectors, which PackInts has packed two by two, to bytes in
  // the order that packing leaves. Clamp is what is left to do where the
  // constants say that more is needed than saturating.
  [[gnu::always_inline]] Ints Saturate(Ints low, Ints high) const {
    return V::PackShorts(V::AddSaturatedShorts(low, zero_points_),
                         V::AddSaturatedShorts(high, zero_points_));
  }
  [[gnu::always_inline]] Ints Clamp(Ints bytes) const {
    return V::Xor(V::MinBytes(V::MaxBytes(bytes, mins_), maxes_), moves_);
  }

 private:
  static Ints Repeat(uint32_t word) {
    return V::SetInts(static_cast<int32_t>(word));
  }

  Ints zero_points_;
  Ints moves_;
  Ints mins_;
  Ints maxes_;
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_SIMD_REQUANTIZE_H_
