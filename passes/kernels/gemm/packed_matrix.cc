#include "passes/kernels/gemm/packed_matrix.h"

#include <cstdlib>
#include <cstring>

namespace ns::kernels {

PackedMatrix::PackedMatrix(const int8_t* weights, int64_t n, int64_t runs,
                           int64_t run_length)
    : n_(n), runs_(runs), run_length_(run_length), column_sums_(n) {
  const int64_t bytes = panels() * panel_bytes() + kSlack;
  data_.reset(static_cast<int8_t*>(std::aligned_alloc(64, bytes)));
  std::memset(data_.get(), 0, bytes);
  const int64_t run_bytes = run_steps() * kPanel * kStep;
  for (int64_t output = 0; output < n; ++output) {
    const int8_t* row = weights + output * k();
    int8_t* column =
        data_.get() + output / kPanel * panel_bytes() + output % kPanel * kStep;
    int32_t sum = 0;
    for (int64_t run = 0; run < runs; ++run) {
      for (int64_t i = 0; i < run_length; ++i) {
        const int8_t weight = row[run * run_length + i];
        column[run * run_bytes + i / kStep * kPanel * kStep + i % kStep] =
            weight;
        sum += weight;
      }
    }
    column_sums_[output] = sum;
  }
}

void PackedMatrix::Free::operator()(int8_t* data) const { std::free(data); }

}  // namespace ns::kernels
