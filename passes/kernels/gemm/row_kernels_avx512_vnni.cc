#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_loops.h"
#include "passes/kernels/gemm/row_products.h"
#include "passes/kernels/gemm/row_vectors_avx512.h"
#include "passes/kernels/simd/avx512_vnni.h"

namespace ns::kernels {
namespace {

struct Exact : DotRowProducts<Avx512Vnni> {
  static constexpr int kMaxRows[] = {0, 24, 12, 8, 6, 0, 4, 0, 2};
};

}  // namespace

void GemmRowsAvx512Vnni(const RowTask& task) {
  RowLoops<RowVectorsAvx512<Exact>>::Run(task);
}

}  // namespace ns::kernels
