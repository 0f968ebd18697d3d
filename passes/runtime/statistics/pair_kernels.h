// The inner loops of PairStatistics and TensorStatistics, in several
// instruction sets. No torch headers: these files are compiled with flags of
// their own.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_KERNELS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_KERNELS_H_

#include <cstdint>
#include <vector>

#include "passes/runtime/statistics/codes_in_use.h"

namespace ns {

namespace kernels {
enum class Isa;
}  // namespace kernels

// What is read at a time where memory does not hold what kernels take.
inline constexpr int64_t kPairBlock = 4096;
// At most this many elements a call.
inline constexpr int64_t kPairPiece = 16 * kPairBlock;

// Sums of one piece. Squares are added in float for a short while, and these
// sums in double: the relative error is below 4e-7, and 1e-7 but for values
// that are all the same. They overflow and underflow as floats do.
struct PairErrors {
  double x2 = 0;  // sum of x^2
  double e2 = 0;  // sum of (x - y)^2; nan where x or y is, or both are inf
};

// All of one piece. NaNs may or may not show in minima and maxima.
struct PairBlock : PairErrors {
  double y2 = 0;  // sum of y^2
  double e = 0;   // sum of x - y, exact to 1e-6 of the sum of |x - y|
  float max_abs_error = 0;
  float min_x = 0;
  float max_x = 0;
  float min_y = 0;
  float max_y = 0;
};

// Codes are dequantized to (code - zero_point) * scale, rounded once. Codes of
// 8 bits with a sign come as `code + 128`, and so does their zero point:
// `flip_sign` says that memory holds them with the sign. `scale_rest` is what
// `scale` lacks where scales are of double precision, as LibTorch's are if
// there is one for each channel.
struct CodeFormat {
  float scale = 1;
  int32_t zero_point = 0;
  bool flip_sign = false;
  float scale_rest = 0;
};

struct PairKernels {
  // "scalar", "avx2" or "avx512".
  const char* isa;
  // All of x and y.
  PairBlock (*floats)(const float* x, const float* y, int64_t count);
  PairBlock (*codes)(const float* x, const uint8_t* y, const CodeFormat& format,
                     int64_t count);
  // As `codes`, and adds the codes of y to `use`.
  PairBlock (*codes_and_use)(const float* x, const uint8_t* y,
                             const CodeFormat& format, int64_t count,
                             CodesInUse& use);
  // The sums that SQNR needs, and nothing else.
  PairErrors (*float_errors)(const float* x, const float* y, int64_t count);
  PairErrors (*code_errors)(const float* x, const uint8_t* y,
                            const CodeFormat& format, int64_t count);
  // Adds each column of `rows` rows of `columns` elements to x2[column] and
  // e2[column]: any values will do.
  void (*columns)(const float* x, const float* y, int64_t rows, int64_t columns,
                  double* x2, double* e2);
  // The values of codes.
  void (*dequantize)(const uint8_t* codes, const CodeFormat& format,
                     int64_t count, float* values);
  // The values of codes that have each a scale and a zero point.
  void (*dequantize_each)(const uint8_t* codes, bool flip_sign,
                          const double* scales, const int32_t* zero_points,
                          int64_t count, float* values);
};

// The reference: one readable loop each. `count` is 1 to kPairPiece.
const PairKernels& ScalarPairKernels();
// For processors with AVX2 and FMA.
const PairKernels& Avx2PairKernels();
// For processors with AVX512F, BW, DQ and VL.
const PairKernels& Avx512PairKernels();

// The fastest that this processor runs up to `at_most`.
const PairKernels& FastestPairKernels(kernels::Isa at_most);

// The fastest of each instruction set that this processor has, the reference
// first: for tests and benchmarks.
std::vector<const PairKernels*> AvailablePairKernels();

// Those that kernels::ChosenIsa asks for.
const PairKernels& ChosenPairKernels();

// While it lives, others are the chosen ones: for tests and benchmarks.
class ScopedPairKernels {
 public:
  explicit ScopedPairKernels(const PairKernels& kernels);
  ~ScopedPairKernels();
  ScopedPairKernels(const ScopedPairKernels&) = delete;
  ScopedPairKernels& operator=(const ScopedPairKernels&) = delete;

 private:
  const PairKernels* previous_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_KERNELS_H_
