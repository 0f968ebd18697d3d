#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_loops.h"
#include "passes/kernels/gemm/row_products.h"
#include "passes/kernels/gemm/row_vectors_avx512.h"
#include "passes/kernels/simd/avx512.h"

namespace ns::kernels {
namespace {

struct Exact : ExactRowProducts<Avx512> {
  static constexpr int kMaxRows[] = {0, 12, 8, 5, 4, 0, 0, 0, 0};
};

struct Saturating : SaturatingRowProducts<Avx512> {
  static constexpr int kMaxRows[] = {0, 12, 10, 7, 5, 0, 0, 0, 0};
};

}  // namespace

void GemmRowsAvx512(const RowTask& task) {
  RowLoops<RowVectorsAvx512<Exact>>::Run(task);
}

void SaturatingGemmRowsAvx512(const RowTask& task) {
  RowLoops<RowVectorsAvx512<Saturating>>::Run(task);
}

}  // namespace ns::kernels
