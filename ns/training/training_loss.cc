#include "ns/training/training_loss.h"

#include <ATen/ATen.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/accuracy/class_labels.h"
#include "ns/batches/batch.h"
#include "ns/batches/output_tensors.h"
#include "ns/batches/run_batches.h"

namespace ns {
namespace {

class LabelLoss final : public TrainingLoss {
 public:
  explicit LabelLoss(std::vector<at::Tensor> labels)
      : labels_(std::move(labels)) {}

  absl::StatusOr<BatchLoss> Of(const c10::IValue& output, const Batch& batch,
                               int64_t index) override {
    const NamedTensors tensors = FloatOutputs(output);
    const at::Tensor& labels = labels_[static_cast<size_t>(index)];
    const at::Tensor scores =
        tensors.empty() ? at::Tensor() : tensors.front().second;
    NS_RETURN_IF_ERROR(Annotated(
        BatchName(batch, index),
        CheckLabels(scores, labels, "the float model is the teacher")));
    BatchLoss loss;
    const at::Tensor classes = labels.to(at::kLong).flatten();
    loss.loss = at::cross_entropy_loss(scores.to(at::kFloat), classes);
    loss.samples = classes.numel();
    loss.correct = ClassesOf(scores).eq(classes).sum().item<int64_t>();
    return loss;
  }

  bool counts_samples() const override { return true; }

 private:
  const std::vector<at::Tensor> labels_;
};

class TeacherLoss final : public TrainingLoss {
 public:
  explicit TeacherLoss(ModelGraph teacher) : teacher_(std::move(teacher)) {}

  absl::StatusOr<BatchLoss> Of(const c10::IValue& output, const Batch& batch,
                               int64_t index) override {
    NS_ASSIGN_OR_RETURN(const c10::IValue taught,
                        RunBatch("float", teacher_, batch, index));
    const NamedTensors theirs = FloatOutputs(taught);
    const NamedTensors ours = FloatOutputs(output);
    at::Tensor error = at::zeros({});
    at::Tensor power = at::zeros({});
    bool is_same = ours.size() == theirs.size() && !ours.empty();
    for (size_t i = 0; is_same && i < ours.size(); ++i) {
      // A tensor that was made without gradients in mind cannot be used with
      // them.
      const at::Tensor target = theirs[i].second.clone();
      is_same = ours[i].second.sizes() == target.sizes();
      if (is_same) {
        error = error + (ours[i].second - target).square().sum();
        power = power + target.square().sum();
      }
    }
    if (!is_same) {
      return absl::InvalidArgumentError(absl::StrCat(
          BatchName(batch, index),
          ": the models do not return the same tensors of floats; give labels "
          "instead of the float model as the teacher"));
    }
    BatchLoss loss;
    loss.loss = error / power.clamp_min(1e-30);
    return loss;
  }

  bool counts_samples() const override { return false; }

 private:
  ModelGraph teacher_;
};

}  // namespace

std::unique_ptr<TrainingLoss> MakeLabelLoss(std::vector<at::Tensor> labels) {
  return std::make_unique<LabelLoss>(std::move(labels));
}

std::unique_ptr<TrainingLoss> MakeTeacherLoss(ModelGraph teacher) {
  return std::make_unique<TeacherLoss>(std::move(teacher));
}

}  // namespace ns
