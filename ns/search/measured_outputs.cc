#include "ns/search/measured_outputs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/accuracy/class_labels.h"

namespace ns {
namespace {

absl::Status OtherShape(const std::string& place) {
  return Refusal(absl::StrCat(
      place,
      " of the quantized model has another shape than that of the float one"));
}

}  // namespace

absl::Status MeasuredOutputs::AddLabels(int64_t index,
                                        const NamedTensors& outputs,
                                        const at::Tensor& labels) {
  const at::Tensor scores =
      outputs.empty() ? at::Tensor() : outputs.front().second.detach();
  const bool is_empty = scores.defined() && scores.dim() == 2 &&
                        scores.size(0) == 0 && scores.size(1) > 0 &&
                        labels.numel() == 0;
  if (!is_empty) {
    NS_RETURN_IF_ERROR(CheckLabels(scores, labels, "give --budget"));
  }
  return CatchTorchErrors([&] {
    const at::Tensor classes = labels.to(at::kLong).reshape({-1});
    labelled_[index] = {classes, ClassesOf(scores).eq(classes)};
  });
}

void MeasuredOutputs::Begin() {
  statistics_.clear();
  top1_ = {};
}

absl::Status MeasuredOutputs::CountCorrect(const Labelled& labelled,
                                           const NamedTensors& outputs) {
  if (outputs.empty()) {
    return Refusal("the quantized model returns no scores");
  }
  const auto& [place, scores] = outputs.front();
  if (scores.dim() != 2 || scores.size(0) != labelled.labels.size(0) ||
      scores.size(1) == 0) {
    return OtherShape(place);
  }
  top1_.Add(labelled.is_correct, ClassesOf(scores).eq(labelled.labels));
  return absl::OkStatus();
}

absl::Status MeasuredOutputs::Compare(int64_t index,
                                      const NamedTensors& outputs) {
  return CatchTorchErrors([&]() -> absl::Status {
    if (has_labels_) {
      NS_RETURN_IF_ERROR(CountCorrect(labelled_.at(index), outputs));
    }
    const auto found = float_.find(index);
    if (found == float_.end()) {
      return absl::OkStatus();
    }
    const NamedTensors& expected = found->second;
    if (outputs.size() != expected.size()) {
      return Refusal(absl::StrCat(
          "the quantized model returns ", outputs.size(),
          " tensors of floats, and the float model ", expected.size()));
    }
    statistics_.resize(std::max(statistics_.size(), outputs.size()));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const at::Tensor& x = expected[i].second;
      const at::Tensor& y = outputs[i].second;
      if (x.sizes() != y.sizes()) {
        return OtherShape(outputs[i].first);
      }
      statistics_[i].Merge(CompareErrors(x, y));
    }
    return absl::OkStatus();
  });
}

double MeasuredOutputs::noise() const {
  double largest = 0;
  for (const PairStatistics& statistics : statistics_) {
    const double noise =
        statistics.count == 0 ? 0 : std::pow(statistics.NormalizedL2(), 2);
    // What nan is compared with is not less than it.
    largest = largest >= noise ? largest : noise;
    if (std::isnan(largest)) {
      break;
    }
  }
  return largest;
}

}  // namespace ns
