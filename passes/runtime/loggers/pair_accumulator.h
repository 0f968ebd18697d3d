// Gathers what is recorded at one place in a pair of models, batch by batch.
#ifndef PASSES_RUNTIME_LOGGERS_PAIR_ACCUMULATOR_H_
#define PASSES_RUNTIME_LOGGERS_PAIR_ACCUMULATOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/base/byte_stream.h"
#include "passes/runtime/loggers/pair_record.h"
#include "passes/runtime/statistics/constant_channels.h"
#include "passes/runtime/statistics/exchanged_axes.h"
#include "passes/runtime/statistics/pair_histograms.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "passes/runtime/statistics/pooled_statistics.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace at {
class Tensor;
}  // namespace at

namespace ns {

// Makes a PairRecord. The record depends on which batches were seen, but not on
// their order, nor on which accumulator saw which: sums over batches are exact
// until the record is read, lists are in the order of batch numbers, and what
// is taken from one batch alone is taken from the one with the lowest number.
//
// So accumulators that saw different batches can be merged, or saved and loaded
// in other processes and merged there, and then have the record of one
// accumulator that saw all of them.
class PairAccumulator {
 public:
  // Without `by_batch`, PairRecord::batches has one entry for all batches.
  explicit PairAccumulator(bool by_batch = true) : by_batch_(by_batch) {}

  // Starts from a record that was saved without its exact sums; its batches are
  // numbered from 0.
  static PairAccumulator FromRecord(const PairRecord& record, bool by_batch);

  // Sets the number of the batch that runs. Without this, batches are numbered
  // from 0. A number must not come twice.
  void SetBatch(int64_t number) { batch_number_ = number; }
  // To be called after every batch.
  void EndBatch();

  // Adds a pair of values of one shape with its `statistics`. The channels are
  // along `channel_dim`. `trip`: the number of the trip through the loop that
  // the place is in.
  void Add(const at::Tensor& x, const at::Tensor& y,
           const TensorStatistics& statistics, int64_t channel_dim,
           std::optional<size_t> trip = std::nullopt);
  // Notes a pair of values of different shapes.
  void AddMisshapen(const at::Tensor& x, const at::Tensor& y);
  // Hashes the bits of the pair of the call with this number in its batch.
  void AddFingerprints(const at::Tensor& x, const at::Tensor& y, int64_t call);
  // Notes values that only one model had.
  void AddAlone(int64_t only_x, int64_t only_y);
  // Notes in a phrase why a pair could not be compared. The last one counts.
  void AddProblem(std::string problem);

  // Where CompareTensors counts values and errors for Add.
  PairHistograms& histograms() { return pooled_.histograms(); }

  // Whether no batch with values has ended yet.
  bool empty() const { return first_ < 0; }

  // The record of all batches that have ended, and of what was added since.
  PairRecord Record() const;
  // What could not be compared; empty for nothing.
  const std::string& problem() const { return problem_; }

  // Adds what an accumulator with the same options saw of other batches. To be
  // called between batches.
  void Merge(const PairAccumulator& other);

  // Accumulators that saw the same batches save the same bytes. Of each batch,
  // only what its SQNR needs is saved. Load fails the reader for bytes that
  // Save cannot have written, and throws where PooledStatistics::Load does.
  void Save(ByteWriter& writer) const;
  static PairAccumulator Load(ByteReader& reader);

 private:
  // A search for exchanged axes in a pair of one batch.
  struct Look {
    int64_t batch = 0;
    std::optional<ExchangedAxes> found;
  };

  void AddFingerprints(const PairFingerprints& more);

  static void SaveLook(const std::optional<Look>& look, ByteWriter& writer);
  static std::optional<Look> LoadLook(ByteReader& reader);

  // The indices of batches_ by their numbers.
  std::vector<size_t> Order() const;

  bool by_batch_;
  PooledStatistics pooled_;
  std::vector<PooledSums> trips_;
  // The lowest number of a batch with values; -1 for none.
  int64_t first_ = -1;
  // With by_batch_, the numbers of all of them, in any order, and their sums.
  std::vector<int64_t> numbers_;
  std::vector<PairStatistics> batches_;
  // The shape of the first values in batch first_.
  std::vector<int64_t> shape_;
  ConstantChannels constant_;
  // The first pair of batch first_ with a low SQNR.
  std::optional<Look> far_apart_;
  // The first pair of different shapes.
  std::optional<Look> misshapen_;
  std::optional<PairFingerprints> fingerprints_;
  int64_t only_x_ = 0;
  int64_t only_y_ = 0;
  std::string problem_;
  int64_t batch_of_problem_ = -1;

  // The batch that runs.
  int64_t batch_number_ = 0;
  PairStatistics batch_;
  bool compared_ = false;
};

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_PAIR_ACCUMULATOR_H_
