// The vectors of row_tiles.h in AVX512, which hold the sums of 16 outputs each.
#ifndef PASSES_KERNELS_GEMM_ROW_VECTORS_AVX512_H_
#define PASSES_KERNELS_GEMM_ROW_VECTORS_AVX512_H_

#include <immintrin.h>

#include <cstdint>

#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/simd/avx512.h"
#include "passes/kernels/simd/requantize.h"
#include "passes/kernels/unroll.h"

namespace ns::kernels {
namespace {

// `Products` says how activations meet weights: see row_products.h.
template <typename Products>
struct RowVectorsAvx512 : Avx512, Products {
  // Writes outputs of types kU8 and kS8 of kPanels panels, 1 to 4.
  template <int kPanels>
  class QuantizedPanels {
   public:
    // Rows that fill a vector of bytes.
    static constexpr int kRows = kPanels == 1 ? 4 : kPanels == 2 ? 2 : 1;

    // Takes the constants of the channels from `channel` on; none from
    // `channels` on is read or written.
    QuantizedPanels(const OutputView& view, int64_t channel, int64_t channels)
        : count_(channels - channel),
          factor_(Avx512::SetFloats(view.addend_factor)),
          saturates_only_(view.bytes.saturates_only),
          bytes_(view.bytes) {
      for (int p = 0; p < kPanels; ++p) {
        const int64_t first = channel + 16 * p;
        if (IsWhole()) {
          addend_[p] = Avx512::Load(view.addend + first);
          multiplier_[p] = Avx512::Load(view.multiplier + first);
        } else {
          const Avx512::Mask mask = Avx512::First(channels - first);
          addend_[p] = Avx512::Load(view.addend + first, mask);
          multiplier_[p] = Avx512::Load(view.multiplier + first, mask);
        }
      }
    }

    // Writes one row. sums[p] is of panel p, with OutputView::start added.
    void Write(const Ints* sums, uint8_t* out) const {
      const Ints a = Round(sums[0], 0);
      const Ints b = kPanels > 1
                         ? Round(sums[kPanels > 1 ? 1 : 0], kPanels > 1 ? 1 : 0)
                         : a;
      const Ints low = Avx512::PackInts(a, b);
      Ints high = low;
      if constexpr (kPanels > 2) {
        const Ints c = Round(sums[2], 2);
        const Ints d =
            kPanels > 3 ? Round(sums[kPanels > 3 ? 3 : 2], kPanels > 3 ? 3 : 2)
                        : c;
        high = Avx512::PackInts(c, d);
      }
      const Ints bytes = Finish(low, high);
      if (!IsWhole()) {
        Avx512::StoreBytes(out, count_, bytes);
      } else if constexpr (kPanels == 4) {
        Avx512::Store(out, bytes);
      } else {
        StoreQuarters<kPanels>(out, bytes);
      }
    }

    // Writes kRows rows, of one or two panels each.
    void WriteRows(const Ints* const (&rows)[kRows], uint8_t* out,
                   int64_t row_stride) const {
      static_assert(kPanels <= 2);
      const Ints a = Round(rows[0][0], 0);
      const Ints b =
          Round(rows[kPanels == 1 ? 1 : 0][kPanels - 1], kPanels - 1);
      const Ints c = Round(rows[kPanels == 1 ? 2 : 1][0], 0);
      const Ints d =
          Round(rows[kPanels == 1 ? 3 : 1][kPanels - 1], kPanels - 1);
      Ints bytes = Finish(Avx512::PackInts(a, b), Avx512::PackInts(c, d));
      // There are no other panels, as a rule.
      if (kPanels == 1 && row_stride == 16 && IsWhole()) {
        Avx512::Store(out, bytes);
        return;
      }
      NS_UNROLL
      for (int r = 0; r < kRows; ++r) {
        if (IsWhole()) {
          StoreQuarters<kPanels>(out + r * row_stride, bytes);
        } else {
          Avx512::StoreBytes(out + r * row_stride, count_, bytes);
        }
        // The next row's bytes come first.
        bytes = kPanels == 1 ? _mm512_shuffle_i32x4(bytes, bytes, 0x39)
                             : _mm512_shuffle_i32x4(bytes, bytes, 0x4E);
      }
    }

   private:
    bool IsWhole() const { return count_ >= 16 * kPanels; }

    // The bytes of four vectors, rounded and packed two by two.
    Ints Finish(Ints low, Ints high) const {
      const Ints packed = bytes_.Saturate(low, high);
      return Avx512::SortPacked(saturates_only_ ? packed
                                                : bytes_.Clamp(packed));
    }

    // The first 16 * kQuarters bytes, without a mask: some processors take much
    // longer to store with one. kQuarters is 1 to 3.
    template <int kQuarters>
    static void StoreQuarters(uint8_t* out, Ints bytes) {
      if constexpr (kQuarters > 1) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                            _mm512_castsi512_si256(bytes));
      }
      if constexpr (kQuarters % 2 == 1) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16 * (kQuarters - 1)),
                         _mm512_extracti32x4_epi32(bytes, kQuarters - 1));
      }
    }

    Ints Round(Ints sum, int panel) const {
      return RoundSums<Avx512>(sum, addend_[panel], factor_,
                               multiplier_[panel]);
    }

    int64_t count_;  // of channels: more than these panels', maybe
    Floats factor_;
    bool saturates_only_;
    RequantizedBytes<Avx512> bytes_;
    Floats addend_[kPanels];
    Floats multiplier_[kPanels];
  };
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_ROW_VECTORS_AVX512_H_
