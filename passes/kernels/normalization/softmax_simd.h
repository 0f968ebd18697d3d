// The inner loops of softmax, written once for all instruction sets; `V` is a
// class of passes/kernels/simd.
#ifndef PASSES_KERNELS_NORMALIZATION_SOFTMAX_SIMD_H_
#define PASSES_KERNELS_NORMALIZATION_SOFTMAX_SIMD_H_

#include <cstdint>

#include "passes/kernels/normalization/softmax_kernels.h"
#include "passes/kernels/simd/blocks.h"
#include "passes/kernels/simd/quantize.h"

namespace ns::kernels {

template <typename V>
class SoftmaxRows {
 public:
  explicit SoftmaxRows(const SoftmaxConstants& constants)
      : high_(V::LoadTable(constants.high)),
        low_(V::LoadTable(constants.low)),
        output_scale_(constants.output_scale),
        output_zero_point_(V::SetInts(constants.output_zero_point)) {}

  void Row(const uint8_t* quantized, int64_t n, uint8_t* out) const {
    const auto greatest = V::SetInts(Greatest(quantized, n));
    const auto multiplier =
        V::SetFloats(1.0f / (Sum(quantized, n, greatest) * output_scale_));
    ForBlocks<V>(n, [&](int64_t i, const auto& block) {
      const auto quantize = [&](int quarter) {
        // Rows are short, and so it pays to leave out what is not there.
        if (!block.Has(quarter)) {
          return V::Zero();
        }
        const auto scaled = V::Multiply(
            Exponential(block.WidenBytes(quantized + i, quarter), greatest),
            multiplier);
        return V::Add(RoundLimited<V>(scaled), output_zero_point_);
      };
      block.StoreBytes(
          out + i, PackBytes<V, uint8_t>(quantize(0), quantize(1), quantize(2),
                                         quantize(3)));
    });
  }

 private:
  using Floats = typename V::Floats;
  using Ints = typename V::Ints;

  static int32_t Greatest(const uint8_t* quantized, int64_t n) {
    Ints greatest = V::Zero();
    ForBlocks<V>(n, [&](int64_t i, const auto& block) {
      greatest = V::MaxBytes(greatest, block.LoadBytes(quantized + i));
    });
    uint8_t bytes[V::kBytes];
    V::Store(bytes, greatest);
    for (int half = V::kBytes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) {
        bytes[i] = bytes[i] < bytes[i + half] ? bytes[i + half] : bytes[i];
      }
    }
    return bytes[0];
  }

  Floats Exponential(Ints quantized, Ints greatest) const {
    const Ints below = V::Subtract(greatest, quantized);
    return V::Multiply(V::LookUp(high_, V::ShiftRightInts(below, 4)),
                       V::LookUp(low_, below));
  }

  float Sum(const uint8_t* quantized, int64_t n, Ints greatest) const {
    constexpr int kVectors = kSoftmaxSums / V::kFloats;
    Floats partial[kVectors];
    for (Floats& sums : partial) {
      sums = V::SetFloats(0);
    }
    ForBlocks<V>(n, [&](int64_t i, const auto& block) {
      const auto add = [&](int quarter) {
        if (block.Has(quarter)) {
          Floats& sums = partial[quarter % kVectors];
          sums = V::Add(
              sums,
              block.Keep(Exponential(block.WidenBytes(quantized + i, quarter),
                                     greatest),
                         quarter));
        }
      };
      add(0);
      add(1);
      add(2);
      add(3);
    });
    float sums[kSoftmaxSums];
    for (int i = 0; i < kVectors; ++i) {
      V::Store(sums + i * V::kFloats, partial[i]);
    }
    for (int half = kSoftmaxSums / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) {
        sums[i] += sums[i + half];
      }
    }
    return sums[0];
  }

  typename V::FloatTable high_;
  typename V::FloatTable low_;
  float output_scale_;
  Ints output_zero_point_;
};

template <typename V>
void SimdSoftmax(const uint8_t* quantized, int64_t rows, int64_t n,
                 const SoftmaxConstants& constants, uint8_t* out) {
  const SoftmaxRows<V> softmax(constants);
  for (int64_t row = 0; row < rows; ++row) {
    softmax.Row(quantized + row * n, n, out + row * n);
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_NORMALIZATION_SOFTMAX_SIMD_H_
