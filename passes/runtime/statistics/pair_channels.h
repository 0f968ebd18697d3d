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
// belongs to one channel, and all columns are added up at once. Runs of a
// length in between are summed one by one.
class PairChannels {
 public:
  explicit PairChannels(const MemoryRuns& runs);

  // Returns how many elements from `first` on make a good piece.
  int64_t Limit(int64_t first) const;

  // Adds the elements from `first` on. `sums` are those of the whole piece.
  void Add(const PairPiece& piece, int64_t first, const PairStatistics& sums);
  void Add(const double* x, const double* y, int64_t first, int64_t count);

  // Returns the sums channel by channel.
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
