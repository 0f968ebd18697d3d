#include <immintrin.h>

#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_loops.h"
#include "passes/kernels/gemm/vectors512.h"

namespace ns::kernels {
namespace {

// Products of bytes at even k and at odd k, in 16 bits each: vpmaddubsw would
// saturate the sum of two.
struct ExactProducts {
  struct Halves {
    __m512i even;
    __m512i odd;
  };
  using Activations = Halves;
  using Weights = Halves;

  static constexpr int kMaxRows[] = {0, 12, 8, 5, 4, 0, 0, 0, 0};

  static Weights LoadWeights(const int8_t* from) {
    const __m512i both = _mm512_load_si512(from);
    return {_mm512_srai_epi16(_mm512_slli_epi16(both, 8), 8),
            _mm512_srai_epi16(both, 8)};
  }
  static Activations SpreadActivations(uint32_t step) {
    const __m512i both = _mm512_set1_epi32(static_cast<int32_t>(step));
    return {_mm512_and_si512(both, _mm512_set1_epi16(0xFF)),
            _mm512_srli_epi16(both, 8)};
  }
  static __m512i AddProducts(__m512i sum, Activations a, Weights w) {
    sum = _mm512_add_epi32(sum, _mm512_madd_epi16(a.even, w.even));
    return _mm512_add_epi32(sum, _mm512_madd_epi16(a.odd, w.odd));
  }
};

struct SaturatingProducts {
  using Activations = __m512i;
  using Weights = __m512i;

  static constexpr int kMaxRows[] = {0, 12, 10, 7, 5, 0, 0, 0, 0};

  static Weights LoadWeights(const int8_t* from) {
    return _mm512_load_si512(from);
  }
  static Activations SpreadActivations(uint32_t step) {
    return _mm512_set1_epi32(static_cast<int32_t>(step));
  }
  static __m512i AddProducts(__m512i sum, Activations a, Weights w) {
    const __m512i pairs = _mm512_maddubs_epi16(a, w);
    return _mm512_add_epi32(sum,
                            _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
  }
};

}  // namespace

void GemmRowsAvx512(const RowTask& task) {
  RowLoops<Vectors512<ExactProducts>>::Run(task);
}

void SaturatingGemmRowsAvx512(const RowTask& task) {
  RowLoops<Vectors512<SaturatingProducts>>::Run(task);
}

}  // namespace ns::kernels
