// Turns the values of a file into batches.
#ifndef NS_BATCHES_TO_BATCHES_H_
#define NS_BATCHES_TO_BATCHES_H_

#include <ATen/core/ivalue.h>

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ns/batches/batch.h"

namespace ns {

// Says in errors what a file should hold.
inline constexpr absl::string_view kWhatToSave =
    "save a list of batches with torch.save, each a tensor, a tuple of "
    "positional arguments or a dict of keyword arguments";

// Turns a tensor, a tuple of arguments or a dict of arguments by name into one
// batch. Error: a phrase that says what of `value` is no batch, such as "is an
// int; a batch is ...".
absl::StatusOr<Batch> ToBatch(const c10::IValue& value);

// Turns a list into batches, or a tensor or dict into one batch. Error, for an
// empty list and a tuple, too: a phrase that continues "<path>: ", such as
// "element 1 is an int; a batch is ...".
absl::StatusOr<std::vector<Batch>> ToBatches(const c10::IValue& value);

}  // namespace ns

#endif  // NS_BATCHES_TO_BATCHES_H_
