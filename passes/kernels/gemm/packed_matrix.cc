#include "passes/kernels/gemm/packed_matrix.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace ns::kernels {
namespace {

constexpr int64_t kPanel = PackedMatrix::kPanel;
constexpr int64_t kStep = PackedMatrix::kStep;

// A stride that the compiler knows.
using One = std::integral_constant<int64_t, 1>;

// Packs `steps` (up to kStep) activations of each of `outputs` (up to kPanel)
// outputs, and adds them to the sums of the outputs.
template <typename NStride, typename KStride>
void PackStep(const uint8_t* from, int64_t outputs, int64_t steps,
              NStride n_stride, KStride k_stride, int8_t* to, int32_t* sums) {
  const auto pack = [&](auto all_outputs, auto all_steps) {
    for (int64_t n = 0; n < all_outputs; ++n) {
      int32_t sum = 0;
      for (int64_t i = 0; i < all_steps; ++i) {
        const auto moved =
            static_cast<int8_t>(from[n * n_stride + i * k_stride] -
                                PackedMatrix::kActivationOffset);
        to[n * kStep + i] = moved;
        sum += moved;
      }
      sums[n] += sum;
    }
  };
  if (outputs == kPanel && steps == kStep) {
    pack(std::integral_constant<int64_t, kPanel>(),
         std::integral_constant<int64_t, kStep>());
  } else {
    pack(outputs, steps);
  }
}

}  // namespace

PackedMatrix::PackedMatrix(int64_t n, int64_t runs, int64_t run_length)
    : n_(n), runs_(runs), run_length_(run_length), column_sums_(n) {
  const int64_t bytes = panels() * panel_bytes() + kSlack;
  data_.reset(static_cast<int8_t*>(std::aligned_alloc(64, bytes)));
  std::memset(data_.get(), 0, bytes);
}

PackedMatrix::PackedMatrix(const int8_t* weights, int64_t n, int64_t runs,
                           int64_t run_length)
    : PackedMatrix(n, runs, run_length) {
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

PackedMatrix PackedMatrix::OfActivations(const uint8_t* activations, int64_t n,
                                         int64_t k, int64_t n_stride,
                                         int64_t k_stride) {
  PackedMatrix packed(n, /*runs=*/1, k);
  for (int64_t panel = 0; panel < packed.panels(); ++panel) {
    const int64_t first = panel * kPanel;
    const int64_t outputs = std::min(n - first, kPanel);
    const uint8_t* from = activations + first * n_stride;
    int8_t* to = packed.data_.get() + panel * packed.panel_bytes();
    int32_t* sums = packed.column_sums_.data() + first;
    const auto pack = [&](auto n_step, auto k_step) {
      for (int64_t step = 0; step < packed.run_steps(); ++step) {
        PackStep(from + step * kStep * k_step, outputs,
                 std::min(k - step * kStep, kStep), n_step, k_step,
                 to + step * kPanel * kStep, sums);
      }
    };
    if (k_stride == 1) {
      pack(n_stride, One());
    } else if (n_stride == 1) {
      pack(One(), k_stride);
    } else {
      pack(n_stride, k_stride);
    }
  }
  return packed;
}

void PackedMatrix::Free::operator()(int8_t* data) const { std::free(data); }

}  // namespace ns::kernels
