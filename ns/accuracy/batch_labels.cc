#include "ns/accuracy/batch_labels.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/batches/batch_file.h"
#include "ns/batches/fit_value.h"

namespace ns {

absl::StatusOr<std::vector<c10::IValue>> LoadBatchLabels(
    const std::string& path, int64_t batches, SurplusLabels surplus) {
  NS_ASSIGN_OR_RETURN(const c10::IValue value, LoadSavedValue(path));
  if (!value.isList() && !value.isTensor() && !value.isGenericDict()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": holds ", Described(value),
                     "; save a list with the labels of each batch"));
  }
  std::vector<c10::IValue> labels =
      value.isList() ? value.toListRef().vec() : std::vector{value};
  const auto count = static_cast<int64_t>(labels.size());
  if (count < batches ||
      (count > batches && surplus == SurplusLabels::kRefused)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": has labels of ", count, " batches, and there are ", batches,
        "; save a list with the labels of each batch"));
  }
  labels.resize(static_cast<size_t>(batches));
  return labels;
}

}  // namespace ns
