#include "ns/accuracy/agreement_counts.h"

#include <ATen/ATen.h>

#include "ir/base/torch_errors.h"
#include "ns/accuracy/class_labels.h"
#include "ns/accuracy/class_scores.h"

namespace ns {
namespace {

constexpr int64_t kTop = 5;

// Whether each row of `scores` has values from 0 to 1 whose sum is 1.
bool AreProbabilities(const at::Tensor& scores) {
  constexpr double kRounding = 1e-3;
  return scores.ge(0).all().item<bool>() &&
         scores.sum(1).sub(1).abs().le(kRounding).all().item<bool>();
}

// The sum over samples of the greatest probability.
double Confidence(const at::Tensor& scores, bool are_probabilities) {
  return (are_probabilities ? scores : scores.softmax(1))
      .amax(1)
      .sum()
      .item<double>();
}

}  // namespace

void AgreementCounts::Add(const c10::IValue& of_float,
                          const c10::IValue& of_quantized) {
  if (!are_scores_) {
    return;
  }
  const at::Tensor x = ScoresIn(of_float);
  const at::Tensor y = ScoresIn(of_quantized);
  are_scores_ = AreClassScores(x, y) &&
                (samples_ == 0 || x.numel() == 0 || x.size(1) == classes_) &&
                CatchTorchErrors([&] { AddScores(x, y); }).ok();
}

void AgreementCounts::AddScores(const at::Tensor& of_float,
                                const at::Tensor& of_quantized) {
  if (of_float.numel() == 0) {
    return;
  }
  const at::Tensor x = of_float.to(at::kDouble);
  const at::Tensor y = of_quantized.to(at::kDouble);
  // Of the float model; the quantized one rounds, so that sums may not be 1.
  const bool are_probabilities = AreProbabilities(x);
  const at::Tensor float_classes = ClassesOf(x);
  const at::Tensor quantized_classes = ClassesOf(y);
  const at::Tensor same = float_classes.eq(quantized_classes);
  samples_ += x.size(0);
  classes_ = x.size(1);
  flipped_ += x.size(0) - same.sum().item<int64_t>();
  if (classes_ > kTop) {
    const at::Tensor top = std::get<1>(y.topk(kTop, /*dim=*/1));
    in_top5_ += top.eq(float_classes.unsqueeze(1))
                    .any(1)
                    .logical_and(quantized_classes.ge(0))
                    .logical_or(same)
                    .sum()
                    .item<int64_t>();
  }
  float_confidence_.Add(Confidence(x, are_probabilities));
  quantized_confidence_.Add(Confidence(y, are_probabilities));
}

void AgreementCounts::Save(ByteWriter& writer) const {
  writer.Integer(are_scores_ ? 1 : 0);
  for (const int64_t count : {samples_, classes_, flipped_, in_top5_}) {
    writer.Integer(count);
  }
  float_confidence_.Save(writer);
  quantized_confidence_.Save(writer);
}

void AgreementCounts::Merge(ByteReader& reader) {
  are_scores_ &= reader.Integer() == 1;
  const int64_t samples = reader.Integer();
  const int64_t classes = reader.Integer();
  if (samples_ > 0 && samples > 0) {
    are_scores_ &= classes == classes_;
  }
  classes_ = samples > 0 ? classes : classes_;
  samples_ += samples;
  flipped_ += reader.Integer();
  in_top5_ += reader.Integer();
  float_confidence_.Merge(ExactSum::Load(reader));
  quantized_confidence_.Merge(ExactSum::Load(reader));
}

std::optional<ClassAgreement> AgreementCounts::Result() const {
  if (!are_scores_ || samples_ == 0) {
    return std::nullopt;
  }
  const auto samples = static_cast<double>(samples_);
  ClassAgreement agreement;
  agreement.samples = samples_;
  agreement.classes = classes_;
  agreement.flipped = flipped_;
  agreement.top1 = static_cast<double>(samples_ - flipped_) / samples;
  if (classes_ > kTop) {
    agreement.top5 = static_cast<double>(in_top5_) / samples;
  }
  agreement.float_confidence = float_confidence_.Value() / samples;
  agreement.quantized_confidence = quantized_confidence_.Value() / samples;
  agreement.confidence_drift =
      agreement.quantized_confidence - agreement.float_confidence;
  return agreement;
}

}  // namespace ns
