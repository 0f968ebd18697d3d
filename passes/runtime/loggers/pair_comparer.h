// What a comparison node calls when a graph of two models runs.
#ifndef PASSES_RUNTIME_LOGGERS_PAIR_COMPARER_H_
#define PASSES_RUNTIME_LOGGERS_PAIR_COMPARER_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "passes/runtime/loggers/logger.h"
#include "passes/runtime/loggers/pair_record.h"

namespace ns {

// Which dimension of a value is that of its channels.
enum class ChannelDim {
  kNone,    // no statistics by channel
  kSecond,  // [N, C, ...], as of convolutions
  kLast,    // [..., C], as of linear layers
  kByRank,  // the second of four or more dimensions, else the last
};

struct PairComparerOptions {
  // Values of one batch are of trips of a loop, which get figures of their own.
  bool in_loop = false;
  ChannelDim channels = ChannelDim::kNone;
  // Whether each batch gets statistics of its own.
  bool by_batch = true;
  // Whether it is noted which codes y uses, where it has 8 bits.
  bool codes = true;
  // Whether absolute errors are counted by their size.
  bool errors = false;
  // Whether integers and truth values are compared, too. Indices and lengths
  // have no quantization error. Not saved: true in what was loaded.
  bool integers = true;
};

// Compares values x of one model with values y of another, and keeps statistics
// only. Registered as torch.classes.ns.PairComparer, with methods `compare`,
// `see_x`, `see_y`, `miss_x`, `miss_y`, `end_batch`, `sqnr_db`,
// `count` and those of a Logger; saves and loads with what it has gathered, and
// is enabled then.
class PairComparer final : public Logger {
 public:
  explicit PairComparer(const PairComparerOptions& options = {})
      : options_(options) {}

  // Tensors of different shapes are not compared: see problem().
  void Compare(const at::Tensor& x, const at::Tensor& y);

  // One side's value, where the models do not come by at the same time. The
  // first that comes is copied, and kept until its counterpart comes.
  void SeeX(const at::Tensor& x);
  void SeeY(const at::Tensor& y);

  // One model took a way on which the other has no value. Calls are counted as
  // the model of y makes them.
  void MissX();
  void MissY();

  // To be called after every batch. Values that still wait had no counterpart.
  void EndBatch();

  void Clear() override;

  const PairRecord& record() const { return record_; }
  // What could not be compared, in a phrase; empty for nothing.
  const std::string& problem() const { return problem_; }
  const PairComparerOptions& options() const { return options_; }

  // Called with every pair that is compared: the how many-th of this batch.
  using Observer = std::function<void(const at::Tensor& x, const at::Tensor& y,
                                      int64_t call)>;
  void AddObserver(Observer observer) {
    observers_.push_back(std::move(observer));
  }

  // For loading.
  void SetState(PairRecord record, std::string problem) {
    record_ = std::move(record);
    problem_ = std::move(problem);
  }

 private:
  PairComparerOptions options_;
  PairRecord record_;
  std::string problem_;
  std::vector<Observer> observers_;
  // Of the batch that runs.
  PairStatistics batch_;
  int64_t calls_ = 0;
  bool compared_ = false;
  std::deque<at::Tensor> waiting_x_;
  std::deque<at::Tensor> waiting_y_;
};

using PairComparerPtr = c10::intrusive_ptr<PairComparer>;

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_PAIR_COMPARER_H_
