#include "passes/kernels/normalization/layer_norm.h"

#include <algorithm>

#include "passes/kernels/isa.h"
#include "passes/kernels/normalization/layer_norm_kernels.h"
#include "passes/kernels/normalization/value_moments.h"

namespace ns::kernels {
namespace {

constexpr IsaTable<const LayerNormKernels*> kKernels = {
    {Isa::kAvx2, &kAvx2LayerNorm},
    {Isa::kAvx512, &kAvx512LayerNorm},
};

Normalization NormalizationOf(const ValueSums& sums, int64_t n,
                              const NormalizationSpec& spec) {
  const ValueMoments moments = MomentsOf(sums, n, spec);
  return {moments.mean,
          moments.rstd,
          spec.weight,
          spec.bias,
          1.0f / spec.output_scale,
          spec.output_zero_point};
}

}  // namespace

void LayerNorm(const uint8_t* input, int64_t rows, int64_t n,
               const NormalizationSpec& spec, uint8_t* out, Parallel parallel) {
  const LayerNormKernels* const kernels = kKernels.Chosen();
  if (kernels == nullptr) {
    LayerNormReference(input, rows, n, spec, out);
    return;
  }
  // Waking a thread is worth some 16,000 quantized values.
  const int64_t grain = 1 + (1 << 14) / std::max<int64_t>(n, 1);
  parallel(rows, grain, [&](int64_t begin, int64_t end) {
    const auto normalization = [&](int64_t row) {
      return NormalizationOf(kernels->sum(input + row * n, n), n, spec);
    };
    if (begin == end) {
      return;
    }
    // A row ahead: its divisions take as long as many quantized values, and are
    // not waited for.
    Normalization next = normalization(begin);
    for (int64_t row = begin; row < end; ++row) {
      const Normalization by = next;
      if (row + 1 < end) {
        next = normalization(row + 1);
      }
      kernels->normalize(input + row * n, n, by, out + row * n);
    }
  });
}

}  // namespace ns::kernels
