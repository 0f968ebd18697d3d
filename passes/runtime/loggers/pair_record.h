// What is kept of one place in a pair of models, over batches.
#ifndef PASSES_RUNTIME_LOGGERS_PAIR_RECORD_H_
#define PASSES_RUNTIME_LOGGERS_PAIR_RECORD_H_

#include <cstdint>
#include <vector>

#include "passes/runtime/statistics/pair_statistics.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {

// Of values x of one model and y of the other. Mergeable: the record of two
// runs is that of one run over the batches of both.
struct PairRecord {
  // Over all batches.
  TensorStatistics pooled;
  // One for each batch in which values were compared; one for all of them where
  // batches are not told apart.
  std::vector<PairStatistics> batches;
  // For places inside a loop: of the first, second, ... time in a batch, over
  // all batches. Empty elsewhere.
  std::vector<PairStatistics> trips;
  // Of the first values.
  std::vector<int64_t> shape;
  // How often only one model came by.
  int64_t only_x = 0;
  int64_t only_y = 0;

  // Appends the batches of `other`.
  void Merge(const PairRecord& other);
};

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_PAIR_RECORD_H_
