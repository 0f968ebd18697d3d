// Runs a model on batches of sample inputs.
#ifndef NS_BATCHES_RUN_BATCHES_H_
#define NS_BATCHES_RUN_BATCHES_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/batches.h"

namespace ns {

// Runs `model` on a copy of `batch`, since models may write into their inputs,
// and returns what it returns. FitBatch (batches.h) makes the copy fit the
// method. `index` is the number of the batch in messages. Error: as RunBatches.
absl::StatusOr<c10::IValue> RunBatch(absl::string_view name, ModelGraph& model,
                                     const Batch& batch, int64_t index);

// Runs `model` on a copy of every batch, as RunBatch does, and drops what it
// returns. After each batch, calls `after_batch`, unless it is null, with the
// number of batches done. Error: a batch that does not fit the model, or that
// the model fails on; no later batch runs. The message says which batch, and
// calls the model "the <name> model".
absl::Status RunBatches(
    absl::string_view name, ModelGraph& model,
    const std::vector<Batch>& batches,
    const std::function<void(size_t done)>& after_batch = nullptr);

// Does the same with the batches of `reader` at `numbers`, each from 0 to
// reader.size() - 1, in the order of `numbers`. One batch at a time is in
// memory. Error, too: a batch that cannot be read.
absl::Status RunBatches(
    absl::string_view name, ModelGraph& model, const BatchReader& reader,
    absl::Span<const int64_t> numbers,
    const std::function<void(size_t done)>& after_batch = nullptr);

// Returns 0, 1, ... count - 1.
std::vector<int64_t> FirstBatches(int64_t count);

}  // namespace ns

#endif  // NS_BATCHES_RUN_BATCHES_H_
