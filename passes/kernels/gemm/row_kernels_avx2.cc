#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_loops.h"
#include "passes/kernels/gemm/row_products.h"
#include "passes/kernels/gemm/row_vectors_avx2.h"
#include "passes/kernels/simd/avx2.h"

namespace ns::kernels {
namespace {

struct Exact : ExactRowProducts<Avx2> {
  static constexpr int kMaxRows[] = {0, 4, 1, 0, 0, 0, 0, 0, 0};
};

struct Saturating : SaturatingRowProducts<Avx2> {
  static constexpr int kMaxRows[] = {0, 5, 2, 0, 0, 0, 0, 0, 0};
};

}  // namespace

void GemmRowsAvx2(const RowTask& task) {
  RowLoops<RowVectorsAvx2<Exact>>::Run(task);
}

void SaturatingGemmRowsAvx2(const RowTask& task) {
  RowLoops<RowVectorsAvx2<Saturating>>::Run(task);
}

}  // namespace ns::kernels
