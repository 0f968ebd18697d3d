// Sums over a pair of tensors for each channel.
#ifndef PASSES_RUNTIME_STATISTICS_PAIR_CHANNELS_H_
#define PASSES_RUNTIME_STATISTICS_PAIR_CHANNELS_H_

#include <cstdint>
#include <vector>

#include "passes/runtime/statistics/pair_blocks.h"
#include "passes/runtime/statistics/pair_kernels.h"
#include "passes/runtime/statistics/pair_operands.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// Adds pieces of a pair, of which `runs` says where the channels are.
//
// Long runs of a channel are pieces of their own, of which the sums are known.
// Where channels alternate quickly, memory is taken as rows of some columns
// each of which is of one channel, and all columns are added up at once. Runs
// in between are summed one by one.
class PairChannels {
 public:
  explicit PairChannels(const MemoryRuns& runs);

  // How many elements from `first` on make a good piece.
  int64_t Limit(int64_t first) const;

  // Adds the elements from `first` on. `sums` are those of the whole piece.
  void Add(const PairPiece& piece, int64_t first, const PairStatistics& sums);
  void Add(const double* x, const double* y, int64_t first, int64_t count);

  // Channel by channel.
  std::vector<PairErrors> Sums() const;

 private:
  void AddRuns(const PairPiece& piece, int64_t first);
  void AddColumns(const PairPiece& piece, int64_t first);

  MemoryRuns runs_;
  // Columns of a row; zero where there are none.
  int64_t columns_;
  // Of columns or of channels.
  std::vector<double> x2_;
  std::vector<double> e2_;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_PAIR_CHANNELS_H_
