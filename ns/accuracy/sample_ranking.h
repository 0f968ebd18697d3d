// Finds the samples in which two models differ most.
#ifndef NS_ACCURACY_SAMPLE_RANKING_H_
#define NS_ACCURACY_SAMPLE_RANKING_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ns {

// What two models return for each sample, in the order of samples. Memory holds
// a few numbers for each sample.
class SampleRanking {
 public:
  // Adds a batch of `samples` samples, for which the models returned these
  // values: their first tensors of floats (ScoresIn of class_scores.h) are
  // compared. Error: there is no such tensor, the two have other sizes, or
  // their first dimension is not `samples` long.
  absl::Status Add(int64_t samples, const c10::IValue& of_float,
                   const c10::IValue& of_quantized);

  // Returns the samples that the models put into different classes, ascending,
  // counted over all batches. Error: what the models return does not look like
  // scores of classes (AreClassScores).
  absl::StatusOr<std::vector<int64_t>> Flipped() const;

  // Returns the `count` samples with the lowest SQNR, or all where there are
  // fewer, ascending by their numbers. An SQNR of nan is the lowest; of equal
  // ones, the earlier sample comes first.
  std::vector<int64_t> Worst(int64_t count) const;

 private:
  struct Sample {
    bool flips = false;
    double sqnr_db = 0;
  };

  std::vector<Sample> samples_;
  // What the models return instead of scores of classes; empty where they
  // return such.
  std::string no_scores_;
};

}  // namespace ns

#endif  // NS_ACCURACY_SAMPLE_RANKING_H_
