#include "passes/runtime/statistics/pair_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "passes/runtime/statistics/pair_extremes.h"

namespace ns {
namespace {

// Quantized values in shorter runs of one format than this are dequantized
// first: a kernel takes too long to start.
constexpr int64_t kShortestRun = 512;

// Returns |a - b| as the kernels compute it: rounded to float where these are
// floats and the result is in the range of float. Rounding to double first
// changes nothing.
inline double Magnitude(double error, double /*type*/) {
  return std::fabs(error);
}

inline double Magnitude(double error, float /*type*/) {
  const double magnitude = std::fabs(error);
  const double largest = std::numeric_limits<float>::max();
  return magnitude > largest ? magnitude : static_cast<float>(magnitude);
}

template <typename T>
PairStatistics Accumulate(const T* x, const T* y, int64_t count) {
  PairStatistics sums;
  sums.count = count;
  for (int64_t i = 0; i < count; ++i) {
    const double a = x[i];
    const double b = y[i];
    if (!AreEqualInfinities(a, b)) {
      const double e = a - b;
      sums.sum_x2 += a * a;
      sums.sum_y2 += b * b;
      sums.sum_xy += a * b;
      sums.sum_e2 += e * e;
      sums.sum_e += e;
      sums.max_abs_error = MaxOrNan(sums.max_abs_error, Magnitude(e, x[i]));
    }
    sums.min_x = MinOrNan(sums.min_x, a);
    sums.max_x = MaxOrNan(sums.max_x, a);
    sums.min_y = MinOrNan(sums.min_y, b);
    sums.max_y = MaxOrNan(sums.max_y, b);
    sums.nan_x += std::isnan(a) ? 1 : 0;
    sums.inf_x += std::isinf(a) ? 1 : 0;
    sums.nan_y += std::isnan(b) ? 1 : 0;
    sums.inf_y += std::isinf(b) ? 1 : 0;
  }
  return sums;
}

// True for sums beside which squares of about the size of float's smallest
// number do not matter.
bool IsSafe(const PairErrors& errors) {
  constexpr double kHuge = 1e30;
  constexpr double kTiny = 1e-28;
  const auto in_range = [](double sum) { return sum > kTiny && sum < kHuge; };
  return in_range(errors.x2) && in_range(errors.e2);
}

PairBlock RunKernel(const PairPiece& piece) {
  const PairKernels& kernels = ChosenPairKernels();
  return piece.codes != nullptr
             ? kernels.codes(piece.x, piece.codes, piece.format, piece.count)
             : kernels.floats(piece.x, piece.y, piece.count);
}

// The same as CompareExactly, of a piece of at most kPairBlock elements.
PairStatistics ComparePieceExactly(const PairPiece& piece) {
  if (piece.codes == nullptr) {
    return Accumulate(piece.x, piece.y, piece.count);
  }
  float y[kPairBlock];
  ChosenPairKernels().dequantize(piece.codes, piece.format, piece.count, y);
  return Accumulate<float>(piece.x, y, piece.count);
}

}  // namespace

PairPiece PairPiece::Part(int64_t first, int64_t size) const {
  PairPiece part = *this;
  part.x += first;
  part.y = y != nullptr ? y + first : nullptr;
  part.codes = codes != nullptr ? codes + first : nullptr;
  part.count = size;
  return part;
}

PairPiece PairReader::Read(int64_t first, int64_t limit) {
  const PairOperand& x = pair_.x;
  const PairOperand& y = pair_.y;
  const bool takes_codes =
      y.HoldsCodes() && y.HasExactFormats() &&
      (y.HasOneFormat() || y.format_runs().length >= kShortestRun);
  PairPiece piece;
  piece.count = std::min(limit, kPairPiece);
  if (!x.HoldsFloats() || !(takes_codes || y.HoldsFloats())) {
    piece.count = std::min(piece.count, kPairBlock);
  }
  if (takes_codes) {
    piece.count = std::min(piece.count, y.format_runs().LeftInRun(first));
    piece.codes = y.Codes(first);
    piece.format = y.FormatOf(first);
  } else {
    piece.y = y.Floats(first, piece.count, y_);
  }
  piece.x = x.Floats(first, piece.count, x_);
  return piece;
}

PairStatistics CompareExactly(const double* x, const double* y, int64_t count) {
  return Accumulate(x, y, count);
}

bool IsSafe(const PairBlock& block) {
  constexpr float kHuge = 1e15F;
  constexpr float kTiny = 1e-15F;
  const auto in_range = [](float magnitude) {
    return magnitude == 0 || (magnitude > kTiny && magnitude < kHuge);
  };
  return std::isfinite(block.e2) && in_range(block.max_abs_error) &&
         in_range(std::max(std::fabs(block.min_x), std::fabs(block.max_x))) &&
         in_range(std::max(std::fabs(block.min_y), std::fabs(block.max_y)));
}

PairStatistics StatisticsOf(const PairBlock& block, int64_t count) {
  PairStatistics sums;
  sums.count = count;
  sums.sum_x2 = block.x2;
  sums.sum_y2 = block.y2;
  sums.sum_e2 = block.e2;
  sums.sum_e = block.e;
  // (x - y)^2 = x^2 - 2 x y + y^2
  sums.sum_xy = (block.x2 + block.y2 - block.e2) / 2;
  sums.max_abs_error = block.max_abs_error;
  sums.min_x = block.min_x;
  sums.max_x = block.max_x;
  sums.min_y = block.min_y;
  sums.max_y = block.max_y;
  return sums;
}

PairStatistics ComparePiece(const PairPiece& piece) {
  const PairBlock block = RunKernel(piece);
  if (IsSafe(block)) {
    return StatisticsOf(block, piece.count);
  }
  if (piece.count <= kPairBlock) {
    return ComparePieceExactly(piece);
  }
  PairStatistics sums;
  for (int64_t first = 0; first < piece.count; first += kPairBlock) {
    sums.Merge(ComparePiece(
        piece.Part(first, std::min(kPairBlock, piece.count - first))));
  }
  return sums;
}

PairErrors SumErrors(const PairPiece& piece) {
  const PairKernels& kernels = ChosenPairKernels();
  const PairErrors errors =
      piece.codes != nullptr
          ? kernels.code_errors(piece.x, piece.codes, piece.format, piece.count)
          : kernels.float_errors(piece.x, piece.y, piece.count);
  if (IsSafe(errors)) {
    return errors;
  }
  // Without the extremes, a sum of zero may be one of tiny numbers.
  const PairStatistics sums = ComparePiece(piece);
  return {sums.sum_x2, sums.sum_e2};
}

}  // namespace ns
