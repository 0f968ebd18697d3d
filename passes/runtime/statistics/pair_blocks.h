// Computes statistics of a piece of a pair of tensors, in float where that is
// accurate and in double where it is not.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_BLOCKS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_BLOCKS_H_

#include <cstdint>

#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_operands.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// A piece as the kernels take it: floats x, and y as floats or as quantized
// values of one format.
struct PairPiece {
  const float* x = nullptr;
  const float* y = nullptr;        // null where there are quantized values
  const uint8_t* codes = nullptr;  // null where there are floats
  CodeFormat format;
  int64_t count = 0;

  PairPiece Part(int64_t first, int64_t size) const;
};

// Cuts a pair that does not need double into pieces.
class PairReader {
 public:
  explicit PairReader(const PairOperands& pair) : pair_(pair) {}

  // Returns the piece that starts with element `first`, of at most `limit`
  // elements. Where memory holds what the kernels take it is not copied;
  // otherwise it is valid until the next call.
  PairPiece Read(int64_t first, int64_t limit);

 private:
  const PairOperands& pair_;
  float x_[kPairBlock];
  float y_[kPairBlock];
};

// Computes the statistics in double throughout, for any values.
PairStatistics CompareExactly(const double* x, const double* y, int64_t count);
PairStatistics CompareExactly(const PairPiece& piece);

// True where no square in the block can have left the range of float: all
// values are numbers, and the largest are neither huge nor tiny.
bool IsSafe(const PairBlock& block);

// Returns the statistics of a safe block of `count` elements.
PairStatistics StatisticsOf(const PairBlock& block, int64_t count);

// Computes the statistics of any piece, with the kernels where these are safe.
PairStatistics ComparePiece(const PairPiece& piece);
PairErrors SumErrors(const PairPiece& piece);

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_BLOCKS_H_
