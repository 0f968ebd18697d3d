// Vectors of 16 accumulators, for the tiles of row_tiles.h.
//
// Nothing but templates, for the reason that row_kernels.h gives.
#ifndef PASSES_KERNELS_GEMM_VECTORS512_H_
#define PASSES_KERNELS_GEMM_VECTORS512_H_

#include <immintrin.h>

#include <cstdint>

#include "passes/kernels/output_pipeline.h"

namespace ns::kernels {

// `Products` says how activations meet weights; it is local to its file.
template <typename Products>
struct Vectors512 : Products {
  static constexpr int kLanes = 16;
  using Ints = __m512i;
  using Lanes = __mmask16;

  // The first `count` of all, none for a negative one.
  static Lanes FirstLanes(int64_t count) {
    return count >= kLanes
               ? 0xFFFF
               : static_cast<Lanes>((1u << (count < 0 ? 0 : count)) - 1);
  }
  static __mmask64 FirstBytes(int64_t count) {
    return count >= 64 ? ~__mmask64{0}
                       : (__mmask64{1} << (count < 0 ? 0 : count)) - 1;
  }

  static Ints Set(int32_t value) { return _mm512_set1_epi32(value); }
  static Ints Load(const int32_t* from, Lanes lanes) {
    return _mm512_maskz_loadu_epi32(lanes, from);
  }
  static Ints Load(const int32_t* from) { return _mm512_loadu_si512(from); }
  static void Store(int32_t* to, Ints a) { _mm512_storeu_si512(to, a); }
  static void Store(int32_t* to, Lanes lanes, Ints a) {
    _mm512_mask_storeu_epi32(to, lanes, a);
  }
  // a - b * c
  static Ints SubtractProduct(Ints a, Ints b, Ints c) {
    return _mm512_sub_epi32(a, _mm512_mullo_epi32(b, c));
  }

  // The sum of `count` bytes.
  static int32_t SumBytes(const uint8_t* bytes, int64_t count) {
    __m512i sum = _mm512_setzero_si512();
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
      sum = _mm512_add_epi64(sum, _mm512_sad_epu8(_mm512_loadu_si512(bytes + i),
                                                  _mm512_setzero_si512()));
    }
    const __m512i rest =
        _mm512_maskz_loadu_epi8(FirstBytes(count - i), bytes + i);
    sum = _mm512_add_epi64(sum, _mm512_sad_epu8(rest, _mm512_setzero_si512()));
    return static_cast<int32_t>(_mm512_reduce_add_epi64(sum));
  }

  // Outputs of type kF32.
  class Reals {
   public:
    explicit Reals(const OutputView& view)
        : view_(view),
          min_(_mm512_set1_ps(view.min)),
          max_(_mm512_set1_ps(view.max)) {}

    // Those of the channels from `channel` on, of sums that have all but their
    // scale.
    void Write(Ints sums, int64_t channel, Lanes lanes, float* out) const {
      const __m512 addend =
          _mm512_maskz_loadu_ps(lanes, view_.addend + channel);
      const __m512 multiplier =
          _mm512_maskz_loadu_ps(lanes, view_.multiplier + channel);
      __m512 value =
          _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), multiplier, addend);
      // The second operand, when one is nan.
      value = _mm512_min_ps(max_, _mm512_max_ps(min_, value));
      _mm512_mask_storeu_ps(out, lanes, value);
    }

   private:
    const OutputView& view_;
    const __m512 min_;
    const __m512 max_;
  };

  // Outputs of types kU8 and kS8 of kPanels panels, 1 to 4.
  template <int kPanels>
  class Codes {
   public:
    // Rows that fill a vector of codes.
    static constexpr int kRows = kPanels == 1 ? 4 : kPanels == 2 ? 2 : 1;

    // Of the channels from `channel` on; none from `channels` on is read or
    // written.
    Codes(const OutputView& view, int64_t channel, int64_t channels)
        : count_(channels - channel),
          factor_(_mm512_set1_ps(view.addend_factor)),
          zero_points_(Repeat(view.codes.zero_points)),
          saturates_only_(view.codes.saturates_only),
          moves_(Repeat(view.codes.moves)),
          mins_(Repeat(view.codes.mins)),
          maxes_(Repeat(view.codes.maxes)) {
      for (int p = 0; p < kPanels; ++p) {
        const int64_t first = channel + 16 * p;
        if (IsWhole()) {
          addend_[p] = _mm512_loadu_ps(view.addend + first);
          multiplier_[p] = _mm512_loadu_ps(view.multiplier + first);
        } else {
          const Lanes lanes = FirstLanes(channels - first);
          addend_[p] = _mm512_maskz_loadu_ps(lanes, view.addend + first);
          multiplier_[p] =
              _mm512_maskz_loadu_ps(lanes, view.multiplier + first);
        }
      }
    }

    // Those of one row. sums[p] is of panel p, and has all but its scale.
    void Write(const Ints* sums, uint8_t* out) const {
      const Ints a = Round(sums[0], 0);
      const Ints b = kPanels > 1
                         ? Round(sums[kPanels > 1 ? 1 : 0], kPanels > 1 ? 1 : 0)
                         : a;
      const Ints low = _mm512_packs_epi32(a, b);
      Ints high = low;
      if constexpr (kPanels > 2) {
        const Ints c = Round(sums[2], 2);
        const Ints d =
            kPanels > 3 ? Round(sums[kPanels > 3 ? 3 : 2], kPanels > 3 ? 3 : 2)
                        : c;
        high = _mm512_packs_epi32(c, d);
      }
      const Ints codes = Finish(low, high);
      if (!IsWhole()) {
        _mm512_mask_storeu_epi8(out, FirstBytes(count_), codes);
      } else if constexpr (kPanels == 4) {
        _mm512_storeu_si512(out, codes);
      } else {
        StoreQuarters<kPanels>(out, codes);
      }
    }

    // Those of kRows rows, one or two panels each.
    void WriteRows(const Ints* const (&rows)[kRows], uint8_t* out,
                   int64_t row_stride) const {
      static_assert(kPanels <= 2);
      const Ints a = Round(rows[0][0], 0);
      const Ints b =
          Round(rows[kPanels == 1 ? 1 : 0][kPanels - 1], kPanels - 1);
      const Ints c = Round(rows[kPanels == 1 ? 2 : 1][0], 0);
      const Ints d =
          Round(rows[kPanels == 1 ? 3 : 1][kPanels - 1], kPanels - 1);
      Ints codes = Finish(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
      // There are no other panels, as a rule.
      if (kPanels == 1 && row_stride == 16 && IsWhole()) {
        _mm512_storeu_si512(out, codes);
        return;
      }
#pragma clang loop unroll(full)
      for (int r = 0; r < kRows; ++r) {
        if (IsWhole()) {
          StoreQuarters<kPanels>(out + r * row_stride, codes);
        } else {
          _mm512_mask_storeu_epi8(out + r * row_stride, FirstBytes(count_),
                                  codes);
        }
        // The next row's codes come first.
        codes = kPanels == 1 ? _mm512_shuffle_i32x4(codes, codes, 0x39)
                             : _mm512_shuffle_i32x4(codes, codes, 0x4E);
      }
    }

   private:
    static Ints Repeat(uint32_t word) {
      return _mm512_set1_epi32(static_cast<int32_t>(word));
    }

    bool IsWhole() const { return count_ >= 16 * kPanels; }

    // The codes of four vectors, rounded and packed two by two.
    Ints Finish(Ints low, Ints high) const {
      Ints codes = _mm512_packus_epi16(_mm512_adds_epi16(low, zero_points_),
                                       _mm512_adds_epi16(high, zero_points_));
      if (!saturates_only_) {
        codes = _mm512_min_epu8(_mm512_max_epu8(codes, mins_), maxes_);
        codes = _mm512_xor_si512(codes, moves_);
      }
      // Each quarter of the vector now has four codes of each vector.
      const Ints order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10,
                                           14, 3, 7, 11, 15);
      return _mm512_permutexvar_epi32(order, codes);
    }

    // The first 16 * kQuarters codes, without a mask: some processors take much
    // longer to store with one. kQuarters is 1 to 3.
    template <int kQuarters>
    static void StoreQuarters(uint8_t* out, Ints codes) {
      if constexpr (kQuarters > 1) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                            _mm512_castsi512_si256(codes));
      }
      if constexpr (kQuarters % 2 == 1) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16 * (kQuarters - 1)),
                         _mm512_extracti32x4_epi32(codes, kQuarters - 1));
      }
    }

    Ints Round(Ints sum, int panel) const {
      const __m512 x =
          _mm512_fmadd_ps(addend_[panel], factor_, _mm512_cvtepi32_ps(sum));
      return _mm512_cvtps_epi32(_mm512_mul_ps(x, multiplier_[panel]));
    }

    int64_t count_;  // of channels: more than these panels', maybe
    __m512 factor_;
    Ints zero_points_;
    bool saturates_only_;
    Ints moves_;
    Ints mins_;
    Ints maxes_;
    __m512 addend_[kPanels];
    __m512 multiplier_[kPanels];
  };
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_VECTORS512_H_
