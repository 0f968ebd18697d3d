// The losses that the training of a model minimizes.
#ifndef NS_TRAINING_TRAINING_LOSS_H_
#define NS_TRAINING_TRAINING_LOSS_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"

namespace ns {

// The loss of a model on one batch.
struct BatchLoss {
  // A scalar tensor, for backward().
  at::Tensor loss;
  // Of a classifier: how many samples the batch has, and for how many the
  // label has the greatest score.
  int64_t samples = 0;
  int64_t correct = 0;
};

class TrainingLoss {
 public:
  virtual ~TrainingLoss() = default;

  // Returns the loss of `output`, what the model returned for `batch`, the one
  // at `index`. Error: an output that does not fit. Throws what LibTorch's ops
  // throw.
  virtual absl::StatusOr<BatchLoss> Of(const c10::IValue& output,
                                       const Batch& batch, int64_t index) = 0;

  // Whether BatchLoss has samples.
  virtual bool counts_samples() const = 0;
};

// The mean cross entropy of the first tensor of floats that the model returns,
// scores [samples, classes], and the labels of the batch: element `index` of
// `labels`, int64, [samples], as LoadLabels (class_labels.h) returns them.
// `labels` must have one tensor for each batch.
std::unique_ptr<TrainingLoss> MakeLabelLoss(std::vector<at::Tensor> labels);

// How far what the model returns is from what `teacher` returns for the same
// batch: over all tensors of floats, |x - y|^2 / |x|^2 with x the teacher's.
// So -10 log10 of the loss is the SQNR in dB.
std::unique_ptr<TrainingLoss> MakeTeacherLoss(ModelGraph teacher);

}  // namespace ns

#endif  // NS_TRAINING_TRAINING_LOSS_H_
