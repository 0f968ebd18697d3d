#include "ns/accuracy/class_labels.h"

#include <ATen/ATen.h>

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ns/batches/batches.h"

namespace ns {
namespace {

bool HoldsIntegers(const at::Tensor& tensor) {
  return c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/false);
}

std::string Shape(const at::Tensor& tensor) {
  return absl::StrCat("[", absl::StrJoin(tensor.sizes(), ", "), "]");
}

}  // namespace

absl::StatusOr<std::vector<at::Tensor>> LoadLabels(const std::string& path,
                                                   int64_t batches,
                                                   SurplusLabels surplus) {
  NS_ASSIGN_OR_RETURN(const std::vector<Batch> read, LoadBatches(path));
  const auto count = static_cast<int64_t>(read.size());
  if (count < batches ||
      (count > batches && surplus == SurplusLabels::kRefused)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": has labels of ", count, " batches, and there are ", batches,
        "; save one tensor of integers for each batch"));
  }
  std::vector<at::Tensor> labels;
  for (int64_t i = 0; i < batches; ++i) {
    const Batch& batch = read[static_cast<size_t>(i)];
    if (batch.arguments.size() != 1 || !batch.arguments[0].isTensor() ||
        !HoldsIntegers(batch.arguments[0].toTensor())) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": batch ", i,
          " is no tensor of integers; save one for each batch of inputs"));
    }
    labels.push_back(batch.arguments[0].toTensor().to(at::kLong).reshape({-1}));
  }
  return labels;
}

absl::Status CheckLabels(const at::Tensor& scores, const at::Tensor& labels,
                         absl::string_view way_out) {
  if (!scores.defined() || scores.dim() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the model returns ", scores.defined() ? Shape(scores) : "no scores",
        ", and labels need scores [samples, classes]; without labels, ",
        way_out));
  }
  if (scores.numel() == 0) {
    return absl::InvalidArgumentError("the model returns no scores for it");
  }
  if (!labels.defined() || !HoldsIntegers(labels)) {
    return absl::InvalidArgumentError(
        "has labels that are no tensor of integers");
  }
  if (labels.numel() != scores.size(0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", labels.numel(), " labels for ", scores.size(0), " samples"));
  }
  // LibTorch would wrap the number of classes to a narrow dtype of labels.
  const at::Tensor wide = labels.to(at::kLong);
  if (wide.lt(0).logical_or(wide.ge(scores.size(1))).any().item<bool>()) {
    return absl::InvalidArgumentError(
        absl::StrCat("has labels that are not from 0 to ", scores.size(1) - 1));
  }
  return absl::OkStatus();
}

at::Tensor ClassesOf(const at::Tensor& scores) {
  return scores.argmax(1).masked_fill(scores.isnan().any(1), -1);
}

}  // namespace ns
