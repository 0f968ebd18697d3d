// Computes the sums of x^2 and (x - y)^2 of a pair of tensors for each channel.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_CHANNELS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_CHANNELS_H_

#include <cstdint>
#include <vector>

#include "passes/runtime/statistics/pair_blocks.h"
#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_operands.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// Adds up pieces of a pair of tensors. `runs` says where memory holds the
// channels: elements are numbered in the order of memory.
//
// Long runs of a channel are pieces of their own, whose sums are known. Where
// channels alternate quickly, memory is treated as rows in which each column
// belongs to one channel, and all columns are added up at once. Other runs are
// summed one by one.
class PairChannels {
 public:
  explicit PairChannels(const MemoryRuns& runs);

  // Returns the most elements that a piece may have for Add when it begins with
  // element `first`. It may be more than kPairPiece.
  int64_t Limit(int64_t first) const;

  // Adds a piece whose first element is number `first`, of at most Limit(first)
  // elements: that is not checked. `sums` must be those of the piece.
  void Add(const PairPiece& piece, int64_t first, const PairStatistics& sums);
  // Adds any number of elements, from x[0] and y[0] on, of which the first is
  // number `first`.
  void Add(const double* x, const double* y, int64_t first, int64_t count);

  // Returns the sums of all that was added, channel by channel.
  std::vector<PairErrors> Sums() const;

 private:
  // Adds the elements of a piece of floats one by one.
  void AddElements(const PairPiece& piece, int64_t first);
  void AddRuns(const PairPiece& piece, int64_t first);
  void AddColumns(const PairPiece& piece, int64_t first);

  MemoryRuns runs_;
  // The columns of a row; zero where there are none.
  int64_t columns_;
  // The sums of each column or of each channel.
  std::vector<double> x2_;
  std::vector<double> e2_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_CHANNELS_H_
