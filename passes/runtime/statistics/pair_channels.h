// Computes sums over a pair of tensors for each channel.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_CHANNELS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_CHANNELS_H_

#include <cstdint>
#include <vector>

#include "passes/runtime/statistics/pair_blocks.h"
#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_operands.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// Adds up pieces of a pair; `runs` says where the channels are in memory.
//
// Long runs of a channel are pieces of their own, whose sums are known. Where
// channels alternate quickly, memory is treated as rows in which each column
// belongs to one channel, and all columns are added up at once. Other runs are
// summed one by one.
class PairChannels {
 public:
  explicit PairChannels(const MemoryRuns& runs);

  // Returns how many elements a piece that begins with element `first` may have
  // at most, in the order of memory: Add takes that on trust.
  int64_t Limit(int64_t first) const;

  // Adds a piece whose first element is number `first`. `sums` are those of the
  // piece, of which sum_x2 and sum_e2 are used.
  void Add(const PairPiece& piece, int64_t first, const PairStatistics& sums);
  // Adds any number of elements, from x[0] and y[0] on, of which the first is
  // number `first`.
  void Add(const double* x, const double* y, int64_t first, int64_t count);

  // Returns the sums of all that was added, channel by channel.
  std::vector<PairErrors> Sums() const;

 private:
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
