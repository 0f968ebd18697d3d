// Reads what score modules compare outputs with.
#ifndef NS_ACCURACY_BATCH_LABELS_H_
#define NS_ACCURACY_BATCH_LABELS_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/accuracy/class_labels.h"

namespace ns {

// Reads labels of any type from a file: torch.save of a list with the labels of
// one batch in each element, such as a tensor of classes, a list of dicts of
// boxes, or a list of strings. A tensor or a dict in place of the list is the
// labels of one batch. Returns `batches` values. Error, naming the file: it
// cannot be read, or contains labels of fewer batches, or of more where they
// are refused.
absl::StatusOr<std::vector<c10::IValue>> LoadBatchLabels(
    const std::string& path, int64_t batches,
    SurplusLabels surplus = SurplusLabels::kIgnored);

}  // namespace ns

#endif  // NS_ACCURACY_BATCH_LABELS_H_
