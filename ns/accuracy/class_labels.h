// The labels of classified samples.
#ifndef NS_ACCURACY_CLASS_LABELS_H_
#define NS_ACCURACY_CLASS_LABELS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// What LoadLabels does with labels of more batches than there are.
enum class SurplusLabels { kIgnored, kRefused };

// Reads class labels from a file: torch.save of a list of tensors of integers,
// one tensor for each batch, with one label for each sample. Returns `batches`
// tensors, int64 and [samples]. Error: fewer tensors than `batches`, more where
// they are refused, or one that does not hold integers (booleans are none).
absl::StatusOr<std::vector<at::Tensor>> LoadLabels(
    const std::string& path, int64_t batches,
    SurplusLabels surplus = SurplusLabels::kIgnored);

// Checks that `scores`, what a model returns for a batch, are [samples,
// classes] and not empty, and that `labels`, integers of any shape, has a class
// from 0 to classes - 1 for each sample. Undefined scores stand for a model
// that returns none. The error for scores of another shape ends with "without
// labels, " and `way_out`, what a user then does: "give --budget".
absl::Status CheckLabels(const at::Tensor& scores, const at::Tensor& labels,
                         absl::string_view way_out);

// Returns for each sample of `scores`, [samples, classes], the class with the
// greatest score, or -1, which is no class, where one of its scores is nan.
// The result is int64, [samples].
at::Tensor ClassesOf(const at::Tensor& scores);

}  // namespace ns

#endif  // NS_ACCURACY_CLASS_LABELS_H_
