#include <immintrin.h>

#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_loops.h"
#include "passes/kernels/gemm/vectors256.h"

namespace ns::kernels {
namespace {

struct VnniProducts {
  using Activations = __m256i;
  using Weights = __m256i;

  static constexpr int kMaxRows[] = {0, 6, 2, 0, 1, 0, 0, 0, 0};

  static Weights LoadWeights(const int8_t* from) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Activations SpreadActivations(uint32_t step) {
    return _mm256_set1_epi32(static_cast<int32_t>(step));
  }
  static __m256i AddProducts(__m256i sum, Activations a, Weights w) {
    return _mm256_dpbusd_avx_epi32(sum, a, w);
  }
};

}  // namespace

void GemmRowsAvxVnni(const RowTask& task) {
  RowLoops<Vectors256<VnniProducts>>::Run(task);
}

}  // namespace ns::kernels
