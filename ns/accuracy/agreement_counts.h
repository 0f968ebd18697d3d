// Counts how far two models agree on the classes of samples, without labels.
#ifndef NS_ACCURACY_AGREEMENT_COUNTS_H_
#define NS_ACCURACY_AGREEMENT_COUNTS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>

#include "ns/result/class_agreement.h"

namespace ns {

class AgreementCounts {
 public:
  // Counts the samples of a batch, for which the models returned these values.
  // From the first batch whose scores (ScoresIn) do not look like scores of
  // classes (AreClassScores), or are of other classes than before, there is no
  // result.
  void Add(const c10::IValue& of_float, const c10::IValue& of_quantized);

  // Returns what was counted; absent without samples.
  std::optional<ClassAgreement> Result() const;

 private:
  void AddScores(const at::Tensor& of_float, const at::Tensor& of_quantized);

  bool are_scores_ = true;
  // Whether the float model returns probabilities; known from the first sample.
  std::optional<bool> are_probabilities_;
  // Counts and sums over samples.
  int64_t samples_ = 0;
  int64_t classes_ = 0;
  int64_t flipped_ = 0;
  int64_t in_top5_ = 0;
  double float_confidence_ = 0;
  double quantized_confidence_ = 0;
};

}  // namespace ns

#endif  // NS_ACCURACY_AGREEMENT_COUNTS_H_
