// The vectors of row_tiles.h in AVX2, which hold the sums of eight outputs
// each.
#ifndef PASSES_KERNELS_GEMM_ROW_VECTORS_AVX2_H_
#define PASSES_KERNELS_GEMM_ROW_VECTORS_AVX2_H_

#include <immintrin.h>

#include <cstdint>

#include "passes/kernels/output_pipeline.h"
#include "passes/kernels/simd/avx2.h"
#include "passes/kernels/simd/requantize.h"

namespace ns::kernels {
namespace {

// `Products` says how activations meet weights: see row_products.h.
template <typename Products>
struct RowVectorsAvx2 : Avx2, Products {
  // Writes outputs of types kU8 and kS8 of kPanels panels, 1 to 4.
  template <int kPanels>
  class QuantizedPanels {
   public:
    static constexpr int kRows = 1;

    // Takes the constants of the channels from `channel` on; none from
    // `channels` on is read or written.
    QuantizedPanels(const OutputView& view, int64_t channel, int64_t channels)
        : count_(channels - channel < 16 * kPanels ? channels - channel
                                                   : 16 * kPanels),
          factor_(Avx2::SetFloats(view.addend_factor)),
          saturates_only_(view.bytes.saturates_only),
          bytes_(view.bytes) {
      for (int v = 0; v < 2 * kPanels; ++v) {
        const int64_t first = channel + Avx2::kFloats * v;
        const Avx2::Mask mask = Avx2::First(channels - first);
        addend_[v] = Avx2::Load(view.addend + first, mask);
        multiplier_[v] = Avx2::Load(view.multiplier + first, mask);
      }
    }

    // Writes one row. sums[2 * p] and the next are of panel p, and include
    // OutputPlan::start and what weight zero points take away.
    void Write(const Ints* sums, uint8_t* out) const {
      if (count_ < 16 * kPanels) {
        uint8_t bytes[32 * ((kPanels + 1) / 2)];
        WriteWhole(sums, bytes);
        __builtin_memcpy(out, bytes, count_);
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
    // Writes 32 bytes for each pair of panels.
    template <int kPairs = (kPanels + 1) / 2>
    void WriteWhole(const Ints* sums, uint8_t* out) const {
      for (int pair = 0; pair < kPairs; ++pair) {
        const int second = 4 * pair + 2 < 2 * kPanels ? 4 * pair + 2 : 4 * pair;
        Avx2::Store(out + 32 * pair, Pair(sums, 4 * pair, second));
      }
    }

    // The bytes of two panels: vectors first, first + 1, second, second + 1.
    Ints Pair(const Ints* sums, int first, int second) const {
      const Ints packed = bytes_.Saturate(
          Avx2::PackInts(Round(sums, first), Round(sums, first + 1)),
          Avx2::PackInts(Round(sums, second), Round(sums, second + 1)));
      return Avx2::SortPacked(saturates_only_ ? packed : bytes_.Clamp(packed));
    }

    Ints Round(const Ints* sums, int v) const {
      return RoundSums<Avx2>(sums[v], addend_[v], factor_, multiplier_[v]);
    }

    int64_t count_;
    Floats factor_;
    bool saturates_only_;
    RequantizedBytes<Avx2> bytes_;
    Floats addend_[2 * kPanels];
    Floats multiplier_[2 * kPanels];
  };
};

}  // namespace
}  // namespace ns::kernels

#endif  // PASSES_KERNELS_GEMM_ROW_VECTORS_AVX2_H_
