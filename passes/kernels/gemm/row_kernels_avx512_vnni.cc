#include <immintrin.h>

#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_loops.h"
#include "passes/kernels/gemm/vectors512.h"

namespace ns::kernels {
namespace {

struct VnniProducts {
  using Activations = __m512i;
  using Weights = __m512i;

  static constexpr int kMaxRows[] = {0, 24, 12, 8, 6, 0, 4, 0, 2};

  static Weights LoadWeights(const int8_t* from) {
    return _mm512_load_si512(from);
  }
  static Activations SpreadActivations(uint32_t step) {
    return _mm512_set1_epi32(static_cast<int32_t>(step));
  }
  static __m512i AddProducts(__m512i sum, Activations a, Weights w) {
    return _mm512_dpbusd_epi32(sum, a, w);
  }
};

}  // namespace

void GemmRowsAvx512Vnni(const RowTask& task) {
  RowLoops<Vectors512<VnniProducts>>::Run(task);
}

}  // namespace ns::kernels
