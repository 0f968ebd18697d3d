// The inner loops of PairStatistics, in several instruction sets. No torch
// headers: these files are compiled with flags of their own.
#ifndef PASSES_RUNTIME_PAIR_KERNELS_H_
#define PASSES_RUNTIME_PAIR_KERNELS_H_

#include <cstdint>

namespace ns {

// At most this many elements a call: sums of so few stay accurate in float.
inline constexpr int64_t kPairBlock = 4096;

// Of one block. The sums are of floats: their relative error is below 1e-6, and
// they overflow and underflow as floats do. NaNs may or may not show in minima
// and maxima, but always make `e2` NaN.
struct PairBlock {
  double x2 = 0;  // sum of x^2
  double y2 = 0;  // sum of y^2
  double e2 = 0;  // sum of (x - y)^2
  float max_abs_error = 0;
  float min_x = 0;
  float max_x = 0;
  float min_y = 0;
  float max_y = 0;
};

// Codes are dequantized as LibTorch does: (code - zero_point) * scale, rounded
// once. Codes of 8 bits with a sign come as `code + 128`, and so does their
// zero point: `flip_sign` says that memory holds them with the sign.
struct CodeFormat {
  float scale = 1;
  int32_t zero_point = 0;
  bool flip_sign = false;
};

struct PairKernels {
  // "scalar", "avx2" or "avx512".
  const char* isa;
  PairBlock (*floats)(const float* x, const float* y, int64_t count);
  PairBlock (*codes)(const float* x, const uint8_t* y, const CodeFormat& format,
                     int64_t count);
};

// The reference: one readable loop each. `count` is 1 to kPairBlock.
const PairKernels& ScalarPairKernels();
// For processors with AVX2 and FMA.
const PairKernels& Avx2PairKernels();
// For processors with AVX512F, BW, DQ and VL.
const PairKernels& Avx512PairKernels();

// The fastest that this processor runs, and that are no faster than `at_most`:
// "scalar", "avx2" or "avx512"; null for no limit.
const PairKernels& FastestPairKernels(const char* at_most);

// Those that the environment variable NS_KERNEL_ISA asks for.
const PairKernels& ChosenPairKernels();

}  // namespace ns

#endif  // PASSES_RUNTIME_PAIR_KERNELS_H_
