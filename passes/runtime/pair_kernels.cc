#include "passes/runtime/pair_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace ns {
namespace {

// `y(i)` is the i-th value of the other side.
template <typename Y>
PairBlock Accumulate(const float* x, const Y& y, int64_t count) {
  PairBlock block;
  block.min_x = block.max_x = x[0];
  block.min_y = block.max_y = y(0);
  for (int64_t i = 0; i < count; ++i) {
    const float a = x[i];
    const float b = y(i);
    const float e = a - b;
    block.x2 += static_cast<double>(a) * a;
    block.y2 += static_cast<double>(b) * b;
    block.e2 += static_cast<double>(e) * e;
    block.max_abs_error = std::max(block.max_abs_error, std::fabs(e));
    block.min_x = std::min(block.min_x, a);
    block.max_x = std::max(block.max_x, a);
    block.min_y = std::min(block.min_y, b);
    block.max_y = std::max(block.max_y, b);
  }
  return block;
}

PairBlock Floats(const float* x, const float* y, int64_t count) {
  return Accumulate(
      x, [y](int64_t i) { return y[i]; }, count);
}

PairBlock Codes(const float* x, const uint8_t* y, const CodeFormat& format,
                int64_t count) {
  const uint8_t flip = format.flip_sign ? 0x80 : 0;
  return Accumulate(
      x,
      [&](int64_t i) {
        const int32_t code = static_cast<uint8_t>(y[i] ^ flip);
        return static_cast<float>(code - format.zero_point) * format.scale;
      },
      count);
}

}  // namespace

const PairKernels& ScalarPairKernels() {
  static constexpr PairKernels kKernels = {"scalar", Floats, Codes};
  return kKernels;
}

const PairKernels& FastestPairKernels(const char* at_most) {
  const auto asks_for = [at_most](const char* isa) {
    return at_most != nullptr && std::strcmp(at_most, isa) == 0;
  };
  const bool has_avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (!has_avx2 || asks_for("scalar")) {
    return ScalarPairKernels();
  }
  return !has_avx512 || asks_for("avx2") ? Avx2PairKernels()
                                         : Avx512PairKernels();
}

const PairKernels& ChosenPairKernels() {
  static const PairKernels& chosen =
      FastestPairKernels(std::getenv("NS_KERNEL_ISA"));
  return chosen;
}

}  // namespace ns
