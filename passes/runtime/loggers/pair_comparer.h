// Compares the values that a comparison node sees when a graph of two models
// runs.
#ifndef PASSES_RUNTIME_LOGGERS_PAIR_COMPARER_H_
#define PASSES_RUNTIME_LOGGERS_PAIR_COMPARER_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/runtime/loggers/channel_dim.h"
#include "passes/runtime/loggers/logger.h"
#include "passes/runtime/loggers/pair_accumulator.h"
#include "passes/runtime/loggers/pair_record.h"

namespace ns {

struct PairComparerOptions {
  // Whether the calls of one batch are the trips of a loop. The first, second,
  // ... call of each batch then get statistics of their own
  // (PairRecord::trips).
  bool in_loop = false;
  ChannelDim channels = ChannelDim::kNone;
  // Whether each batch gets statistics of its own.
  bool by_batch = true;
  // Whether it is noted which of its 256 integers a y of 8 bits has used.
  bool codes = true;
  // Whether absolute errors are counted by their size. Not saved: in a loaded
  // comparer, it is true if errors had been counted.
  bool errors = false;
  // Whether values and errors of some of the elements are counted
  // (PairHistograms). Not saved, like `errors`.
  bool histograms = false;
  // Whether the bits of all values are hashed (PairRecord::fingerprints), those
  // of different shapes, too. Not saved.
  bool fingerprints = false;
  // Whether integers and truth values are compared, too. Indices and lengths
  // have no quantization error. It is not saved: it is true in a loaded
  // comparer.
  bool integers = true;
};

// Compares values x of one model with values y of another, and keeps statistics
// only. Registered as torch.classes.ns.PairComparer, with methods `compare`,
// `see_x`, `see_y`, `miss_x`, `miss_y`, `end_batch`, `sqnr_db`, `count` and
// those of a Logger. It saves and loads with what it has recorded in batches
// that have ended, and is enabled after loading.
class PairComparer final : public Logger {
 public:
  explicit PairComparer(const PairComparerOptions& options = {})
      : options_(options), accumulator_(options.by_batch) {}

  // Compares two values. Tensors of different shapes are not compared: see
  // problem().
  void Compare(const at::Tensor& x, const at::Tensor& y);

  // Give the value of one side only, where the two models do not compute theirs
  // at the same time. A value whose counterpart has not come yet is copied and
  // kept. The first x of a batch is compared with the first y, the second with
  // the second, and so on, in whatever order they come.
  void SeeX(const at::Tensor& x);
  void SeeY(const at::Tensor& y);

  // Note that a value will never have a counterpart, as only one model took the
  // branch that makes it. The value itself must not be given to SeeX or SeeY.
  // MissX: there is only a y. It takes a call number, as a comparison does.
  // MissY: there is only an x. It takes none: calls are numbered as y's come.
  void MissX();
  void MissY();

  // To be called after every batch. Values that still wait for their
  // counterpart are counted as values of one model only, and forgotten.
  void EndBatch();

  void Clear() override;

  const PairRecord& record() const;
  // Says in a phrase what could not be compared; empty for nothing.
  const std::string& problem() const { return accumulator_.problem(); }
  // What the record is made from. Its batches are numbered from 0, unless their
  // numbers are set before they run.
  const PairAccumulator& accumulator() const { return accumulator_; }
  void SetBatch(int64_t number) { accumulator_.SetBatch(number); }
  // Adds what a comparer with the same options saw of other batches. To be
  // called between batches.
  void Merge(const PairAccumulator& other);
  const PairComparerOptions& options() const { return options_; }

  // An observer is called with every pair that is compared. `call` is the
  // number of the call in this batch, from 0; those that are not compared, such
  // as MissX and pairs of different shapes, have numbers, too.
  using Observer = std::function<void(const at::Tensor& x, const at::Tensor& y,
                                      int64_t call)>;
  void AddObserver(Observer observer) {
    observers_.push_back(std::move(observer));
  }

  // Sets the state when a saved comparer is loaded.
  void SetState(const PairRecord& record, std::string problem);

 private:
  PairComparerOptions options_;
  PairAccumulator accumulator_;
  // Made when it is asked for, and absent after every change.
  mutable std::optional<PairRecord> record_;
  std::vector<Observer> observers_;
  // The calls of the batch that runs.
  int64_t calls_ = 0;
  std::deque<at::Tensor> waiting_x_;
  std::deque<at::Tensor> waiting_y_;
};

using PairComparerPtr = c10::intrusive_ptr<PairComparer>;

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_PAIR_COMPARER_H_
