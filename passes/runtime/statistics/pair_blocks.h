// Computes statistics of a piece of a pair of tensors, in float where that is
// accurate and in double where it is not.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_BLOCKS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_BLOCKS_H_

#include <cmath>
#include <cstdint>

#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_operands.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// A piece is a run of elements of two tensors, as the kernels take it: floats
// x, and y as floats or as quantized values of one format. A PairBlock
// (pair_kernels.h) has the sums that a kernel computes of one.
struct PairPiece {
  const float* x = nullptr;
  const float* y = nullptr;        // null where y is quantized
  const uint8_t* codes = nullptr;  // null where y is float
  CodeFormat format;               // of `codes`
  int64_t count = 0;

  // Returns the `size` elements from `first` on.
  PairPiece Part(int64_t first, int64_t size) const;
};

// Cuts a pair of tensors into pieces.
class PairReader {
 public:
  // `pair` must outlive the reader, and PairOperands::NeedDouble must be false.
  explicit PairReader(const PairOperands& pair) : pair_(pair) {}

  // Returns the piece that starts with element `first`. It has at most `limit`
  // elements, which must be there, and at most kPairPiece; fewer where the
  // format of y changes or values have to be converted: go on at `first` plus
  // its count. The piece points into the tensors where they hold what the
  // kernels take; otherwise into this object, and the next call overwrites it.
  PairPiece Read(int64_t first, int64_t limit);

 private:
  const PairOperands& pair_;
  float x_[kPairBlock];
  float y_[kPairBlock];
};

// Whether both are the same infinity: elements that sums leave out.
template <typename T>
bool AreEqualInfinities(T x, T y) {
  return x == y && std::isinf(x);
}

// Computes the statistics in double throughout, for any values.
PairStatistics CompareExactly(const double* x, const double* y, int64_t count);

// Whether the float sums of `block` are accurate: all values were numbers, and
// the largest were neither so huge that their squares overflow nor so tiny that
// they vanish.
bool IsSafe(const PairBlock& block);

// Converts the sums of a piece of `count` elements. IsSafe must be true.
PairStatistics StatisticsOf(const PairBlock& block, int64_t count);

// Computes the statistics of a piece with the chosen kernels, and again with
// CompareExactly where their sums are not safe.
PairStatistics ComparePiece(const PairPiece& piece);
// Does the same for the two sums that the SQNR needs.
PairErrors SumErrors(const PairPiece& piece);

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_BLOCKS_H_
