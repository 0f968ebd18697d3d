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
#include "ir/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/batches.h"

namespace ns {

// Returns what `model` returns for a copy of `batch`, the one at `index`, which
// is fitted to the method: models may write into their inputs. Error: as
// RunBatches.
absl::StatusOr<c10::IValue> RunBatch(absl::string_view name, ModelGraph& model,
                                     const Batch& batch, int64_t index);

// Runs `model` on a copy of every batch, fitted to its method, and calls
// `after_batch`, unless it is null, with the number of batches done. Error: a
// batch that does not fit the model, or fails in it. The message says which
// batch, and calls the model `name`.
absl::Status RunBatches(
    absl::string_view name, ModelGraph& model,
    const std::vector<Batch>& batches,
    const std::function<void(size_t done)>& after_batch = nullptr);

// Does the same with the batches of `reader` that have these numbers, in this
// order, of which one at a time is in memory.
absl::Status RunBatches(
    absl::string_view name, ModelGraph& model, const BatchReader& reader,
    absl::Span<const int64_t> numbers,
    const std::function<void(size_t done)>& after_batch = nullptr);

// Returns 0, 1, ... count - 1.
std::vector<int64_t> FirstBatches(int64_t count);

}  // namespace ns

#endif  // NS_BATCHES_RUN_BATCHES_H_
