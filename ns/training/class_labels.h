// The labels of classified samples.
#ifndef NS_TRAINING_CLASS_LABELS_H_
#define NS_TRAINING_CLASS_LABELS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// What becomes of labels of more batches than there are.
enum class SurplusLabels { kIgnored, kRefused };

// Reads the labels of classes: torch.save of a list of `batches` tensors of
// integers, one for each sample of a batch. Error: fewer tensors, more where
// they are refused, or a tensor of something else.
absl::StatusOr<std::vector<at::Tensor>> LoadLabels(
    const std::string& path, int64_t batches,
    SurplusLabels surplus = SurplusLabels::kIgnored);

// Whether `scores`, what a model returns for a batch, are [samples, classes],
// and `labels` has a class for each sample. Undefined scores stand for a model
// that returns none. The error for other scores names `way_out`, what a user
// does without labels: "without labels, give --budget".
absl::Status CheckLabels(const at::Tensor& scores, const at::Tensor& labels,
                         absl::string_view way_out);

// Returns for each sample of `scores`, [samples, classes], the class with the
// greatest one, or -1 where one of them is nan: no label is that class.
at::Tensor ClassesOf(const at::Tensor& scores);

}  // namespace ns

#endif  // NS_TRAINING_CLASS_LABELS_H_
