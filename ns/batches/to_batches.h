// Values of files as batches.
#ifndef NS_BATCHES_TO_BATCHES_H_
#define NS_BATCHES_TO_BATCHES_H_

#include <ATen/core/ivalue.h>

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ns/batches/batch.h"

namespace ns {

// What an error says that a file should hold.
inline constexpr absl::string_view kWhatToSave =
    "save a list of batches with torch.save, each a tensor, a tuple of "
    "positional arguments or a dict of keyword arguments";

// A tensor, tuple or dict of strings as one batch. Error: a phrase that says
// what of `value` is no batch, as "is an int; a batch is ...".
absl::StatusOr<Batch> ToBatch(const c10::IValue& value);

// A list of batches, or one batch that is a tensor or a dict. Error: a phrase
// that goes on after "<path>: ", as "element 1 is an int; a batch is ...".
absl::StatusOr<std::vector<Batch>> ToBatches(const c10::IValue& value);

}  // namespace ns

#endif  // NS_BATCHES_TO_BATCHES_H_
