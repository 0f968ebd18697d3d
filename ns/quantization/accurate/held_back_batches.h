// Chooses the batches that are held back: a method that makes a model more
// accurate, such as bias correction, does not learn from them, and they then
// show whether it helps.
#ifndef NS_QUANTIZATION_ACCURATE_HELD_BACK_BATCHES_H_
#define NS_QUANTIZATION_ACCURATE_HELD_BACK_BATCHES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"

namespace ns {

// Returns how many of `batches` batches are held back: a sixteenth of all, at
// least one and at most eight; none where there is only one batch.
int64_t HeldBackBatches(int64_t batches);

// Numbers of batches, each in ascending order.
struct BatchSplit {
  // Those that methods learn from.
  std::vector<int64_t> learned;
  std::vector<int64_t> held_back;
};

// Returns which of `batches` batches are held back. They are spread evenly over
// all, up to the last one: batches are often sorted, by class or by time.
BatchSplit SplitBatches(int64_t batches);

// Returns `count` of `numbers`, spread evenly over them; all where there are
// not more.
std::vector<int64_t> SpreadEvenly(absl::Span<const int64_t> numbers,
                                  int64_t count);

// Is called after each batch, with the number of batches that were run so far,
// those that are held back included; null for none.
using AfterBatch = std::function<void(int64_t done)>;

// Runs `prepared`, a model with observers, on all batches: first on those that
// are not held back, then on the others. In between it calls `before_held_back`
// once, also where no batch is held back. Error, naming the batch: one that
// cannot be read or does not fit.
absl::Status CalibrateInTwoParts(const ModelGraph& prepared,
                                 const BatchReader& batches,
                                 const std::function<void()>& before_held_back,
                                 const AfterBatch& after_batch = nullptr);

// Runs `prepared`, which PrepareModel made, on all batches. Its observers see
// all of them; its means of inputs
// (passes/runtime/observers/values/input_means.h) leave out those that are held
// back, and are enabled again afterwards. Without such means the batches run in
// order, on which PyTorch's histograms depend. Error: as above.
absl::Status CalibrateHoldingBack(const ModelGraph& prepared,
                                  const BatchReader& batches,
                                  const AfterBatch& after_batch = nullptr);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_HELD_BACK_BATCHES_H_
