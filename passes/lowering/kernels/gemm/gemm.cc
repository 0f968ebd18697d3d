#include "passes/lowering/kernels/gemm/gemm.h"

#include <vector>

namespace ns::kernels {

void GemmRows(const GemmRowsInput& input, const PackedMatrix& weights,
              const OutputPlan& plan, int64_t n_begin, int64_t n_end,
              Numerics numerics, void* out, int64_t row_stride) {
  GemmRowsReference(input, weights, plan, n_begin, n_end, numerics, out,
                    row_stride);
}

void Gemm(const uint8_t* a, int64_t m, int64_t a_stride,
          const PackedMatrix& weights, const OutputPlan& plan,
          Numerics numerics, void* out, Parallel parallel) {
  std::vector<const uint8_t*> rows(m);
  for (int64_t i = 0; i < m; ++i) {
    rows[i] = a + i * a_stride;
  }
  const int64_t run_offset = 0;
  parallel(m, 1, [&](int64_t begin, int64_t end) {
    const GemmRowsInput input{rows.data() + begin, end - begin, &run_offset};
    GemmRows(input, weights, plan, 0, weights.n(), numerics,
             static_cast<uint8_t*>(out) +
                 begin * weights.n() * OutputSize(plan.type),
             weights.n());
  });
}

}  // namespace ns::kernels
