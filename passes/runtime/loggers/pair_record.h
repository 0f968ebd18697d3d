// Holds what is recorded at one place in a pair of models, over batches.
#ifndef PASSES_RUNTIME_LOGGERS_PAIR_RECORD_H_
#define PASSES_RUNTIME_LOGGERS_PAIR_RECORD_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/runtime/statistics/constant_channels.h"
#include "passes/runtime/statistics/exchanged_axes.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {

// The hashes of the bits of all values x and y that came (TensorFingerprint),
// added up modulo 2^64. Each hash depends on the number of the batch and of the
// call, so that exchanged values change the sum.
struct PairFingerprints {
  uint64_t x = 0;
  uint64_t y = 0;
};

// The record of values x of one model and y of the other, as PairAccumulator
// makes it.
struct PairRecord {
  // The statistics over all batches.
  TensorStatistics pooled;
  // The statistics of each batch in which values were compared; a single entry
  // for all of them where batches are not told apart.
  std::vector<PairStatistics> batches;
  // For places inside a loop, the statistics of the first, second, ... time in
  // a batch, over all batches. Empty elsewhere.
  std::vector<PairStatistics> trips;
  // The shape of the first values.
  std::vector<int64_t> shape;
  // The channels of y without a variation of their own. Not saved.
  ConstantChannels constant;
  // The axes that are exchanged in the first pair of the first batch with an
  // SQNR below kExchangeBelowDb or, where there is none, in the first pair of
  // different shapes. Not saved.
  std::optional<ExchangedAxes> exchanged;
  // Absent unless asked for. Not saved.
  std::optional<PairFingerprints> fingerprints;
  // How often only one model had a value.
  int64_t only_x = 0;
  int64_t only_y = 0;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_PAIR_RECORD_H_
