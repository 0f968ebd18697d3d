#include "ns/accuracy/label_accuracy.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/accuracy/class_labels.h"
#include "ns/accuracy/class_scores.h"
#include "ns/accuracy/top1_interval.h"

namespace ns {
namespace {

template <typename... Parts>
absl::Status Refused(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

std::string ShapeOf(const at::Tensor& tensor) {
  return tensor.defined()
             ? absl::StrCat("[", absl::StrJoin(tensor.sizes(), ", "), "]")
             : "no scores";
}

absl::Status CheckScores(const char* model, const at::Tensor& scores) {
  return scores.defined() && scores.dim() == 2 && scores.size(1) > 0
             ? absl::OkStatus()
             : Refused("the ", model, " model returns ", ShapeOf(scores),
                       ", and labels need scores [samples, classes]");
}

// By how much the greatest score of each sample is above the next.
at::Tensor Margins(const at::Tensor& scores) {
  if (scores.size(1) < 2) {
    return at::full({scores.size(0)}, std::numeric_limits<double>::quiet_NaN(),
                    at::kDouble);
  }
  const at::Tensor top = std::get<0>(scores.to(at::kDouble).topk(2, /*dim=*/1));
  return top.select(1, 0) - top.select(1, 1);
}

}  // namespace

absl::StatusOr<LabelAccuracy> LabelAccuracy::Load(const std::string& path,
                                                  int64_t batches,
                                                  bool may_have_more) {
  NS_ASSIGN_OR_RETURN(std::vector<at::Tensor> labels,
                      LoadLabels(path, batches,
                                 may_have_more ? SurplusLabels::kIgnored
                                               : SurplusLabels::kRefused));
  if (absl::c_all_of(labels, [](const at::Tensor& of_batch) {
        return of_batch.numel() == 0;
      })) {
    return Refused(path,
                   ": has no label in any batch; save one for each sample");
  }
  return LabelAccuracy(path, std::move(labels));
}

absl::Status LabelAccuracy::Select(std::vector<BatchSamples> selection) {
  std::vector<at::Tensor> selected;
  for (const BatchSamples& of_batch : selection) {
    const at::Tensor& labels = labels_.at(static_cast<size_t>(of_batch.batch));
    if (labels.numel() != of_batch.of) {
      return Refused(path_, ": batch ", of_batch.batch, ": has ",
                     labels.numel(), " labels for ", of_batch.of,
                     " samples; save one for each");
    }
    selected.push_back(
        labels.index_select(0, at::tensor(of_batch.samples, at::kLong)));
  }
  labels_ = std::move(selected);
  selection_ = std::move(selection);
  return absl::OkStatus();
}

int64_t LabelAccuracy::BatchAt(int64_t index) const {
  return selection_ ? selection_->at(static_cast<size_t>(index)).batch : index;
}

int64_t LabelAccuracy::SampleAt(int64_t index, int64_t sample) const {
  return selection_ ? selection_->at(static_cast<size_t>(index))
                          .samples.at(static_cast<size_t>(sample))
                    : sample;
}

absl::Status LabelAccuracy::Add(int64_t index, const c10::IValue& of_float,
                                const c10::IValue& of_quantized) {
  return Annotated(absl::StrCat(path_, ": batch ", BatchAt(index)),
                   CatchTorchErrors([&]() -> absl::Status {
                     return AddScores(index, ScoresIn(of_float),
                                      ScoresIn(of_quantized));
                   }));
}

absl::Status LabelAccuracy::AddScores(int64_t index, const at::Tensor& of_float,
                                      const at::Tensor& of_quantized) {
  NS_RETURN_IF_ERROR(CheckScores("float", of_float));
  NS_RETURN_IF_ERROR(CheckScores("quantized", of_quantized));
  if (of_float.sizes() != of_quantized.sizes()) {
    return Refused("the float model returns scores ", ShapeOf(of_float),
                   " and the quantized one ", ShapeOf(of_quantized));
  }
  const at::Tensor& labels = labels_.at(static_cast<size_t>(index));
  if (labels.numel() != of_float.size(0)) {
    return Refused("has ", labels.numel(), " labels for ", of_float.size(0),
                   " samples; save one for each");
  }
  if (labels.lt(0).logical_or(labels.ge(of_float.size(1))).any().item<bool>()) {
    return Refused("has labels that are not from 0 to ", of_float.size(1) - 1,
                   ", the classes that the models have scores of");
  }
  const at::Tensor float_classes = ClassesOf(of_float);
  const at::Tensor quantized_classes = ClassesOf(of_quantized);
  counts_.Add(float_classes.eq(labels), quantized_classes.eq(labels));

  const at::Tensor flips = float_classes.ne(quantized_classes).nonzero();
  flipped_ += flips.size(0);
  if (flips.size(0) == 0 || flips_.size() >= kMostFlips) {
    return absl::OkStatus();
  }
  const at::Tensor float_margins = Margins(of_float);
  const at::Tensor quantized_margins = Margins(of_quantized);
  for (int64_t i = 0; i < flips.size(0) && flips_.size() < kMostFlips; ++i) {
    const auto sample = flips[i][0].item<int64_t>();
    flips_.push_back({BatchAt(index), SampleAt(index, sample),
                      labels[sample].item<int64_t>(),
                      float_classes[sample].item<int64_t>(),
                      quantized_classes[sample].item<int64_t>(),
                      float_margins[sample].item<double>(),
                      quantized_margins[sample].item<double>()});
  }
  return absl::OkStatus();
}

Accuracy LabelAccuracy::Result() const {
  const auto share = [&](int64_t count) {
    return static_cast<double>(count) / static_cast<double>(counts_.samples);
  };
  Accuracy accuracy;
  accuracy.samples = counts_.samples;
  accuracy.float_top1 = share(counts_.float_correct);
  accuracy.quantized_top1 = share(counts_.quantized_correct);
  accuracy.agreement = share(counts_.samples - flipped_);
  accuracy.difference = share(counts_.won - counts_.lost);
  const Top1Interval interval = Top1DifferenceInterval(counts_);
  accuracy.lowest_difference = interval.lowest;
  accuracy.highest_difference = interval.highest;
  accuracy.lost = counts_.lost;
  accuracy.won = counts_.won;
  accuracy.flipped = flipped_;
  accuracy.flips = flips_;
  return accuracy;
}

void LabelAccuracy::Save(ByteWriter& writer) const {
  for (const int64_t count :
       {counts_.samples, counts_.float_correct, counts_.quantized_correct,
        counts_.lost, counts_.won, flipped_}) {
    writer.Integer(count);
  }
  writer.Integer(static_cast<int64_t>(flips_.size()));
  for (const Flip& flip : flips_) {
    for (const int64_t number : {flip.batch, flip.sample, flip.label,
                                 flip.float_class, flip.quantized_class}) {
      writer.Integer(number);
    }
    writer.Double(flip.float_margin);
    writer.Double(flip.quantized_margin);
  }
}

void LabelAccuracy::Merge(ByteReader& reader) {
  for (int64_t* count :
       {&counts_.samples, &counts_.float_correct, &counts_.quantized_correct,
        &counts_.lost, &counts_.won, &flipped_}) {
    *count += reader.Integer();
  }
  const size_t flips = reader.Count();
  for (size_t i = 0; reader.ok() && i < flips; ++i) {
    Flip flip;
    for (int64_t* number : {&flip.batch, &flip.sample, &flip.label,
                            &flip.float_class, &flip.quantized_class}) {
      *number = reader.Integer();
    }
    flip.float_margin = reader.Double();
    flip.quantized_margin = reader.Double();
    flips_.push_back(flip);
  }
  // Those of one batch are in the order of its samples.
  absl::c_stable_sort(
      flips_, [](const Flip& a, const Flip& b) { return a.batch < b.batch; });
  flips_.resize(std::min(flips_.size(), kMostFlips));
}

}  // namespace ns
