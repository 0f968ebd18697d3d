#include "ns/search/measured_outputs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ns/eager/output_tensors.h"

namespace ns {
namespace {

double PowerOf(const at::Tensor& x) {
  return x.to(at::kDouble).square().sum().item<double>();
}

int64_t Count(const at::Tensor& is) { return is.sum().item<int64_t>(); }

}  // namespace

NamedTensors FloatOutputs(const c10::IValue& returned) {
  NamedTensors floats;
  for (auto& [place, tensor] : OutputTensors(returned)) {
    if (tensor.is_floating_point()) {
      floats.emplace_back(place, tensor);
    }
  }
  return floats;
}

absl::Status MeasuredOutputs::AddLabels(int64_t index,
                                        const NamedTensors& outputs,
                                        const at::Tensor& labels) {
  const at::Tensor scores =
      outputs.empty() ? at::Tensor() : outputs.front().second;
  if (!scores.defined() || scores.dim() != 2 || scores.numel() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the model returns ",
        scores.defined()
            ? absl::StrCat("[", absl::StrJoin(scores.sizes(), ", "), "]")
            : "no scores",
        ", and labels need scores [samples, classes]; without labels, give "
        "--budget"));
  }
  if (labels.numel() != scores.size(0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", labels.numel(), " labels for ", scores.size(0), " samples"));
  }
  if (labels.lt(0).logical_or(labels.ge(scores.size(1))).any().item<bool>()) {
    return absl::InvalidArgumentError(
        absl::StrCat("has labels that are not from 0 to ", scores.size(1) - 1));
  }
  labelled_[index] = {labels, scores.argmax(1).eq(labels)};
  return absl::OkStatus();
}

void MeasuredOutputs::Begin() {
  powers_.clear();
  top1_ = {};
}

absl::Status MeasuredOutputs::Compare(int64_t index,
                                      const NamedTensors& outputs) {
  if (has_labels_) {
    const Labelled& labelled = labelled_.at(index);
    const at::Tensor is_correct =
        outputs.front().second.argmax(1).eq(labelled.labels);
    top1_.samples += labelled.labels.numel();
    top1_.float_correct += Count(labelled.is_correct);
    top1_.quantized_correct += Count(is_correct);
    top1_.lost += Count(labelled.is_correct.logical_and(~is_correct));
    top1_.won += Count(is_correct.logical_and(~labelled.is_correct));
  }
  const auto found = float_.find(index);
  if (found == float_.end()) {
    return absl::OkStatus();
  }
  powers_.resize(std::max(powers_.size(), outputs.size()));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const at::Tensor y = outputs[i].second;
    const at::Tensor x =
        i < found->second.size() ? found->second[i].second : at::Tensor();
    if (!x.defined() || x.sizes() != y.sizes()) {
      return absl::InvalidArgumentError(absl::StrCat(
          outputs[i].first,
          " of the quantized model has another shape than that of the float "
          "one"));
    }
    powers_[i].signal += PowerOf(x);
    powers_[i].error += PowerOf(x - y);
  }
  return absl::OkStatus();
}

double MeasuredOutputs::noise() const {
  double largest = 0;
  for (const Power& power : powers_) {
    largest =
        std::max(largest, power.error == 0 ? 0 : power.error / power.signal);
  }
  return largest;
}

}  // namespace ns
