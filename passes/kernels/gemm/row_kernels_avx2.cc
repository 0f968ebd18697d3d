#include <immintrin.h>

#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_loops.h"
#include "passes/kernels/gemm/vectors256.h"

namespace ns::kernels {
namespace {

// Products of bytes at even k and at odd k, in 16 bits each: vpmaddubsw would
// saturate the sum of two.
struct ExactProducts {
  struct Halves {
    __m256i even;
    __m256i odd;
  };
  using Activations = Halves;
  using Weights = Halves;

  static constexpr int kMaxRows[] = {0, 4, 1, 0, 0, 0, 0, 0, 0};

  static Weights LoadWeights(const int8_t* from) {
    const __m256i both =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
    return {_mm256_srai_epi16(_mm256_slli_epi16(both, 8), 8),
            _mm256_srai_epi16(both, 8)};
  }
  static Activations SpreadActivations(uint32_t step) {
    const __m256i both = _mm256_set1_epi32(static_cast<int32_t>(step));
    return {_mm256_and_si256(both, _mm256_set1_epi16(0xFF)),
            _mm256_srli_epi16(both, 8)};
  }
  static __m256i AddProducts(__m256i sum, Activations a, Weights w) {
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a.even, w.even));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a.odd, w.odd));
  }
};

struct SaturatingProducts {
  using Activations = __m256i;
  using Weights = __m256i;

  static constexpr int kMaxRows[] = {0, 5, 2, 0, 0, 0, 0, 0, 0};

  static Weights LoadWeights(const int8_t* from) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Activations SpreadActivations(uint32_t step) {
    return _mm256_set1_epi32(static_cast<int32_t>(step));
  }
  static __m256i AddProducts(__m256i sum, Activations a, Weights w) {
    const __m256i pairs = _mm256_maddubs_epi16(a, w);
    return _mm256_add_epi32(sum,
                            _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
};

}  // namespace

void GemmRowsAvx2(const RowTask& task) {
  RowLoops<Vectors256<ExactProducts>>::Run(task);
}

void SaturatingGemmRowsAvx2(const RowTask& task) {
  RowLoops<Vectors256<SaturatingProducts>>::Run(task);
}

}  // namespace ns::kernels
