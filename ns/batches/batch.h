// Holds one sample input of a model.
#ifndef NS_BATCHES_BATCH_H_
#define NS_BATCHES_BATCH_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns {

// The arguments of one call of `forward`.
struct Batch {
  std::vector<c10::IValue> arguments;
  std::unordered_map<std::string, c10::IValue> keywords;
  // Where the batch comes from, for errors: "inputs.pt: batch 3". May be empty.
  std::string source{};
};

// Returns a copy with tensors of its own (DeepCopier), for models that write to
// their inputs.
Batch Copied(const Batch& batch);

// Returns how many samples `batch` has: the first dimension of its first tensor
// that is not empty, or of the longest that has a keyword; 0 where all are
// empty, and 1 without tensors.
int64_t SamplesOf(const Batch& batch);

// Returns `batch` with its first `count` samples alone, of each tensor among
// the arguments whose first dimension is SamplesOf long. Lists and dicts stay.
Batch FirstSamples(const Batch& batch, int64_t count);

// Some samples of one batch.
struct BatchSamples {
  // The number of the batch, and how many samples it has (SamplesOf).
  int64_t batch = 0;
  int64_t of = 0;
  // Each from 0 to of - 1.
  std::vector<int64_t> samples;
};

// Returns `batch` with some of its samples, in the order of `samples`, of each
// tensor among the arguments whose first dimension is SamplesOf long. Lists and
// dicts stay.
Batch SelectedSamples(const Batch& batch, const std::vector<int64_t>& samples);

// Returns what belongs to some samples in a value of a batch, such as its
// labels: those entries of the first dimension of a tensor that is `of` long,
// or of a list of `of` elements, also inside tuples, dicts and other lists.
// What is not `of` long stays.
c10::IValue SelectedEntries(const c10::IValue& value,
                            const BatchSamples& selection);

// Returns what messages call `batch`, the one at `index`: its source, or "batch
// 3".
std::string BatchName(const Batch& batch, int64_t index);

}  // namespace ns

#endif  // NS_BATCHES_BATCH_H_
