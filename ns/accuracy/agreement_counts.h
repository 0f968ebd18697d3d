// Counts how far two models agree on the classes of samples, without labels.
#ifndef NS_ACCURACY_AGREEMENT_COUNTS_H_
#define NS_ACCURACY_AGREEMENT_COUNTS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>

#include "ir/base/byte_stream.h"
#include "ns/result/class_agreement.h"
#include "passes/runtime/statistics/exact_sum.h"

namespace ns {

class AgreementCounts {
 public:
  // Counts the samples of a batch, for which the models returned these values.
  // Where the scores (ScoresIn) of a batch do not look like scores of classes
  // (AreClassScores), or are of other classes than those of another batch,
  // there is no result. The order of batches does not matter.
  void Add(const c10::IValue& of_float, const c10::IValue& of_quantized);

  // Returns what was counted; absent without samples.
  std::optional<ClassAgreement> Result() const;

  // Save what was counted, and add it to what was counted of other batches.
  void Save(ByteWriter& writer) const;
  void Merge(ByteReader& reader);

 private:
  void AddScores(const at::Tensor& of_float, const at::Tensor& of_quantized);

  bool are_scores_ = true;
  // Counts and sums over samples.
  int64_t samples_ = 0;
  int64_t classes_ = 0;
  int64_t flipped_ = 0;
  int64_t in_top5_ = 0;
  ExactSum float_confidence_;
  ExactSum quantized_confidence_;
};

}  // namespace ns

#endif  // NS_ACCURACY_AGREEMENT_COUNTS_H_
