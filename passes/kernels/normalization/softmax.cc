#include "passes/kernels/normalization/softmax.h"

#include <algorithm>
#include <cmath>

#include "passes/kernels/isa.h"
#include "passes/kernels/normalization/softmax_kernels.h"

namespace ns::kernels {
namespace {

constexpr IsaTable<SoftmaxKernel> kKernels = {
    {Isa::kAvx2, SoftmaxAvx2},
    {Isa::kAvx512, SoftmaxAvx512},
};

SoftmaxConstants ConstantsOf(float input_scale, QParams output) {
  SoftmaxConstants constants;
  for (int i = 0; i < kExponentials; ++i) {
    const auto exponential = [&](int below) {
      const double e = std::exp(-static_cast<double>(below) * input_scale);
      return e < 0x1p-62 ? 0.0f : static_cast<float>(e);
    };
    constants.high[i] = exponential(kExponentials * i);
    constants.low[i] = exponential(i);
  }
  constants.output_scale = output.scale;
  constants.output_zero_point = output.zero_point;
  return constants;
}

}  // namespace

void Softmax(const uint8_t* input, int64_t rows, int64_t n, float input_scale,
             QParams output, uint8_t* out, Parallel parallel) {
  const SoftmaxKernel kernel = kKernels.Chosen();
  if (kernel == nullptr) {
    SoftmaxReference(input, rows, n, input_scale, output, out);
    return;
  }
  const SoftmaxConstants constants = ConstantsOf(input_scale, output);
  // Waking a thread is worth some 8,000 quantized values.
  const int64_t grain = 1 + (1 << 13) / std::max<int64_t>(n, 1);
  parallel(rows, grain, [&](int64_t begin, int64_t end) {
    kernel(input + begin * n, end - begin, n, constants, out + begin * n);
  });
}

}  // namespace ns::kernels
