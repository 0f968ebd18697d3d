// Vectors of 8 accumulators, for the tiles of row_tiles.h.
//
// Nothing but templates, for the reason that row_kernels.h gives.
#ifndef PASSES_KERNELS_GEMM_VECTORS256_H_
#define PASSES_KERNELS_GEMM_VECTORS256_H_

#include <immintrin.h>

#include <cstdint>

#include "passes/kernels/output_pipeline.h"

namespace ns::kernels {

// `Products` says how activations meet weights; it is local to its file.
template <typename Products>
struct Vectors256 : Products {
  static constexpr int kLanes = 8;
  using Ints = __m256i;
  using Lanes = __m256i;

  // The first `count` of all, none for a negative one.
  static Lanes FirstLanes(int64_t count) {
    const int32_t lanes =
        static_cast<int32_t>(count < 0 ? 0 : (count > kLanes ? kLanes : count));
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }

  static Ints Set(int32_t value) { return _mm256_set1_epi32(value); }
  static Ints Load(const int32_t* from, Lanes lanes) {
    return _mm256_maskload_epi32(from, lanes);
  }
  static Ints Load(const int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void Store(int32_t* to, Ints a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), a);
  }
  static void Store(int32_t* to, Lanes lanes, Ints a) {
    _mm256_maskstore_epi32(to, lanes, a);
  }
  // a - b * c
  static Ints SubtractProduct(Ints a, Ints b, Ints c) {
    return _mm256_sub_epi32(a, _mm256_mullo_epi32(b, c));
  }

  // The sum of `count` bytes.
  static int32_t SumBytes(const uint8_t* bytes, int64_t count) {
    __m256i sum = _mm256_setzero_si256();
    int64_t i = 0;
    for (; i + 32 <= count; i += 32) {
      const __m256i some =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i));
      sum =
          _mm256_add_epi64(sum, _mm256_sad_epu8(some, _mm256_setzero_si256()));
    }
    int64_t quarters[4];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(quarters), sum);
    int64_t total = quarters[0] + quarters[1] + quarters[2] + quarters[3];
    for (; i < count; ++i) {
      total += bytes[i];
    }
    return static_cast<int32_t>(total);
  }

  // Outputs of type kF32.
  class Reals {
   public:
    explicit Reals(const OutputView& view)
        : view_(view),
          min_(_mm256_set1_ps(view.min)),
          max_(_mm256_set1_ps(view.max)) {}

    // Those of the channels from `channel` on, of sums that have all but their
    // scale.
    void Write(Ints sums, int64_t channel, Lanes lanes, float* out) const {
      const __m256 addend = _mm256_maskload_ps(view_.addend + channel, lanes);
      const __m256 multiplier =
          _mm256_maskload_ps(view_.multiplier + channel, lanes);
      __m256 value =
          _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums), multiplier, addend);
      // The second operand, when one is nan.
      value = _mm256_min_ps(max_, _mm256_max_ps(min_, value));
      _mm256_maskstore_ps(out, lanes, value);
    }

   private:
    const OutputView& view_;
    const __m256 min_;
    const __m256 max_;
  };

  // Outputs of types kU8 and kS8 of kPanels panels, 1 to 4.
  template <int kPanels>
  class Codes {
   public:
    static constexpr int kRows = 1;

    // Of the channels from `channel` on; none from `channels` on is read or
    // written.
    Codes(const OutputView& view, int64_t channel, int64_t channels)
        : count_(channels - channel < 16 * kPanels ? channels - channel
                                                   : 16 * kPanels),
          factor_(_mm256_set1_ps(view.addend_factor)),
          zero_points_(Repeat(view.codes.zero_points)),
          saturates_only_(view.codes.saturates_only),
          moves_(Repeat(view.codes.moves)),
          mins_(Repeat(view.codes.mins)),
          maxes_(Repeat(view.codes.maxes)) {
      for (int v = 0; v < 2 * kPanels; ++v) {
        const int64_t first = channel + kLanes * v;
        const Lanes lanes = FirstLanes(channels - first);
        addend_[v] = _mm256_maskload_ps(view.addend + first, lanes);
        multiplier_[v] = _mm256_maskload_ps(view.multiplier + first, lanes);
      }
    }

    // Those of one row. sums[2 * p] and the next are of panel p, and have all
    // but their scale.
    void Write(const Ints* sums, uint8_t* out) const {
      if (count_ < 16 * kPanels) {
        uint8_t codes[32 * ((kPanels + 1) / 2)];
        WriteWhole(sums, codes);
        __builtin_memcpy(out, codes, count_);
      } else if constexpr (kPanels % 2 == 0) {
        WriteWhole(sums, out);
      } else {
        WriteWhole<kPanels / 2>(sums, out);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 16 * (kPanels - 1)),
                         _mm256_castsi256_si128(
                             Pair(sums, 2 * kPanels - 2, 2 * kPanels - 2)));
      }
    }

   private:
    static Ints Repeat(uint32_t word) {
      return _mm256_set1_epi32(static_cast<int32_t>(word));
    }

    // Writes 32 codes for each pair of panels.
    template <int kPairs = (kPanels + 1) / 2>
    void WriteWhole(const Ints* sums, uint8_t* out) const {
      for (int pair = 0; pair < kPairs; ++pair) {
        const int second = 4 * pair + 2 < 2 * kPanels ? 4 * pair + 2 : 4 * pair;
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * pair),
                            Pair(sums, 4 * pair, second));
      }
    }

    // The codes of two panels: vectors first, first + 1, second, second + 1.
    Ints Pair(const Ints* sums, int first, int second) const {
      const Ints low = _mm256_adds_epi16(
          _mm256_packs_epi32(Round(sums, first), Round(sums, first + 1)),
          zero_points_);
      const Ints high = _mm256_adds_epi16(
          _mm256_packs_epi32(Round(sums, second), Round(sums, second + 1)),
          zero_points_);
      Ints codes = _mm256_packus_epi16(low, high);
      if (!saturates_only_) {
        codes = _mm256_min_epu8(_mm256_max_epu8(codes, mins_), maxes_);
        codes = _mm256_xor_si256(codes, moves_);
      }
      // Each half of the vector now has four codes of each vector.
      return _mm256_permutevar8x32_epi32(
          codes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    }

    Ints Round(const Ints* sums, int v) const {
      const __m256 x =
          _mm256_fmadd_ps(addend_[v], factor_, _mm256_cvtepi32_ps(sums[v]));
      return _mm256_cvtps_epi32(_mm256_mul_ps(x, multiplier_[v]));
    }

    int64_t count_;
    __m256 factor_;
    Ints zero_points_;
    bool saturates_only_;
    Ints moves_;
    Ints mins_;
    Ints maxes_;
    __m256 addend_[2 * kPanels];
    __m256 multiplier_[2 * kPanels];
  };
};

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_VECTORS256_H_
