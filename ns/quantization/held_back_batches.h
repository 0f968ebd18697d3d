// Which batches say whether a method helps, and are left out of what it learns
// from.
#ifndef NS_QUANTIZATION_HELD_BACK_BATCHES_H_
#define NS_QUANTIZATION_HELD_BACK_BATCHES_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "ir/model_graph.h"
#include "ns/batches/batch_reader.h"

namespace ns {

// How many batches, the last ones, say whether a method helps: a sixteenth, one
// at least and eight at most; none of one batch.
int64_t HeldBackBatches(int64_t batches);

// Calls `after_batch` with the number of batches that were run so far.
using AfterBatch = std::function<void(int64_t done)>;

// Runs `prepared`, a model with observers, on all batches, and calls
// `before_held_back` once those are done that are not held back. Error: a batch
// that cannot be read or does not fit, named.
absl::Status CalibrateInTwoParts(const ModelGraph& prepared,
                                 const BatchReader& batches,
                                 const std::function<void()>& before_held_back,
                                 const AfterBatch& after_batch = nullptr);

// Runs `prepared`, a model of PrepareModel, on all batches. All observers see
// all of them; means of inputs are not gathered of those held back. Error: a
// batch that cannot be read or does not fit, named.
absl::Status CalibrateHoldingBack(const ModelGraph& prepared,
                                  const BatchReader& batches,
                                  const AfterBatch& after_batch = nullptr);

}  // namespace ns

#endif  // NS_QUANTIZATION_HELD_BACK_BATCHES_H_
