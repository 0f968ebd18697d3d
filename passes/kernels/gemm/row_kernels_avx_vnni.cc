#include "passes/kernels/gemm/row_kernels.h"
#include "passes/kernels/gemm/row_loops.h"
#include "passes/kernels/gemm/row_products.h"
#include "passes/kernels/gemm/row_vectors_avx2.h"
#include "passes/kernels/simd/avx_vnni.h"

namespace ns::kernels {
namespace {

struct Exact : DotRowProducts<AvxVnni> {
  static constexpr int kMaxRows[] = {0, 6, 2, 0, 1, 0, 0, 0, 0};
};

}  // namespace

void GemmRowsAvxVnni(const RowTask& task) {
  RowLoops<RowVectorsAvx2<Exact>>::Run(task);
}

}  // namespace ns::kernels
