// Declares the inner loops of PairStatistics and TensorStatistics, in several
// instruction sets. It includes no torch headers: these files are compiled with
// flags of their own.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_KERNELS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_KERNELS_H_

#include <cstdint>
#include <vector>

#include "passes/runtime/statistics/codes_in_use.h"

namespace ns {

namespace kernels {
enum class Isa;
}  // namespace kernels

// The number of elements that are read at a time where memory does not hold
// what the kernels take.
inline constexpr int64_t kPairBlock = 4096;
// The most elements of one call of a kernel.
inline constexpr int64_t kPairPiece = 16 * kPairBlock;

// The sums of one piece. Squares are added in float for a short while, and
// these sums in double: the relative error is below 4e-7, and below 1e-7 unless
// all values are the same. They overflow and underflow as floats do.
struct PairErrors {
  double x2 = 0;  // sum of x^2
  double e2 = 0;  // sum of (x - y)^2; nan where x or y is, or inf - inf
};

// All sums and extremes of one piece. NaNs may or may not show in minima and
// maxima.
struct PairBlock : PairErrors {
  double y2 = 0;  // sum of y^2
  double e = 0;   // sum of x - y, exact to 1e-6 of the sum of |x - y|
  float max_abs_error = 0;
  float min_x = 0;
  float max_x = 0;
  float min_y = 0;
  float max_y = 0;
};

// How to dequantize: a quantized value q becomes (q - zero_point) * scale,
// rounded once. 8-bit values with a sign come as `q + 128`, and so does their
// zero point: `flip_sign` says that memory holds them with the sign.
// `scale_rest` is what `scale` lacks where scales are of double precision, as
// LibTorch's are if there is one for each channel.
struct CodeFormat {
  float scale = 1;
  int32_t zero_point = 0;
  bool flip_sign = false;
  float scale_rest = 0;
};

// Dequantizes one value.
float Dequantized(uint8_t code, const CodeFormat& format);

// `count`, and `rows` times `columns`, are 1 to kPairPiece.
struct PairKernels {
  // The name of the instruction set: "scalar", "avx2" or "avx512".
  const char* isa;
  // Compute all sums of x and y, where y is floats or quantized values.
  PairBlock (*floats)(const float* x, const float* y, int64_t count);
  PairBlock (*codes)(const float* x, const uint8_t* y, const CodeFormat& format,
                     int64_t count);
  // Does the same as `codes`, and adds the quantized values of y to `use`.
  PairBlock (*codes_and_use)(const float* x, const uint8_t* y,
                             const CodeFormat& format, int64_t count,
                             CodesInUse& use);
  // Compute the sums that SQNR needs, and nothing else.
  PairErrors (*float_errors)(const float* x, const float* y, int64_t count);
  PairErrors (*code_errors)(const float* x, const uint8_t* y,
                            const CodeFormat& format, int64_t count);
  // Adds the sums x2 and e2 of each column of `rows` rows of `columns` elements
  // to x2[column] and e2[column]. These do not overflow or underflow.
  void (*columns)(const float* x, const float* y, int64_t rows, int64_t columns,
                  double* x2, double* e2);
  // Dequantizes values of one format.
  void (*dequantize)(const uint8_t* codes, const CodeFormat& format,
                     int64_t count, float* values);
  // Dequantizes values that each have a scale and a zero point of their own;
  // flip_sign and zero points are as in CodeFormat.
  void (*dequantize_each)(const uint8_t* codes, bool flip_sign,
                          const double* scales, const int32_t* zero_points,
                          int64_t count, float* values);
};

// Returns the reference kernels: one readable loop each.
const PairKernels& ScalarPairKernels();
// Returns the kernels for processors with AVX2 and FMA.
const PairKernels& Avx2PairKernels();
// Returns the kernels for processors with AVX512F, BW, DQ and VL.
const PairKernels& Avx512PairKernels();

// Returns the fastest kernels that this processor runs, up to `at_most`.
const PairKernels& FastestPairKernels(kernels::Isa at_most);

// Returns the fastest kernels of each instruction set that this processor has,
// the reference kernels first: for tests and benchmarks.
std::vector<const PairKernels*> AvailablePairKernels();

// Returns the kernels that kernels::ChosenIsa asks for.
const PairKernels& ChosenPairKernels();

// Makes other kernels the chosen ones while it lives: for tests and benchmarks.
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
