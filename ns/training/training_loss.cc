#include "ns/training/training_loss.h"

#include <ATen/ATen.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/status.h"
#include "ns/batches/batches.h"
#include "ns/batches/run_batches.h"
#include "ns/eager/output_tensors.h"

namespace ns {
namespace {

std::vector<at::Tensor> FloatsIn(const c10::IValue& value) {
  std::vector<at::Tensor> floats;
  for (const auto& [place, tensor] : OutputTensors(value)) {
    if (tensor.is_floating_point()) {
      floats.push_back(tensor);
    }
  }
  return floats;
}

std::string Shape(const at::Tensor& tensor) {
  return absl::StrCat("[", absl::StrJoin(tensor.sizes(), ", "), "]");
}

class LabelLoss final : public TrainingLoss {
 public:
  explicit LabelLoss(std::vector<at::Tensor> labels)
      : labels_(std::move(labels)) {}

  absl::StatusOr<BatchLoss> Of(const c10::IValue& output, const Batch& batch,
                               int64_t index) override {
    const std::vector<at::Tensor> tensors = FloatsIn(output);
    const at::Tensor& labels = labels_[static_cast<size_t>(index)];
    const auto refuse = [&](absl::string_view what) {
      return absl::InvalidArgumentError(
          absl::StrCat(BatchName(batch, index), ": ", what));
    };
    if (tensors.empty() || tensors[0].dim() != 2) {
      return refuse(absl::StrCat(
          "the model returns ",
          tensors.empty() ? "no scores" : Shape(tensors[0]),
          ", and labels need scores [samples, classes]; without labels, the "
          "float model is the teacher"));
    }
    const at::Tensor& scores = tensors[0];
    if (scores.numel() == 0) {
      return refuse("the model returns no scores for it");
    }
    if (labels.numel() != scores.size(0)) {
      return refuse(absl::StrCat("has ", labels.numel(), " labels for ",
                                 scores.size(0), " samples"));
    }
    if (labels.lt(0).logical_or(labels.ge(scores.size(1))).any().item<bool>()) {
      return refuse(absl::StrCat("has labels that are not from 0 to ",
                                 scores.size(1) - 1));
    }
    BatchLoss loss;
    loss.loss = at::cross_entropy_loss(scores.to(at::kFloat), labels);
    loss.samples = labels.numel();
    loss.correct = scores.argmax(1).eq(labels).sum().item<int64_t>();
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
                        RunBatch("float", teacher_, Copied(batch), index));
    const std::vector<at::Tensor> theirs = FloatsIn(taught);
    const std::vector<at::Tensor> ours = FloatsIn(output);
    at::Tensor error = at::zeros({});
    at::Tensor power = at::zeros({});
    bool is_same = ours.size() == theirs.size() && !ours.empty();
    for (size_t i = 0; is_same && i < ours.size(); ++i) {
      // A tensor that was made without gradients in mind cannot be used with
      // them.
      const at::Tensor target = theirs[i].clone();
      is_same = ours[i].sizes() == target.sizes();
      if (is_same) {
        error = error + (ours[i] - target).square().sum();
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

absl::StatusOr<std::vector<at::Tensor>> LoadLabels(const std::string& path,
                                                   int64_t batches,
                                                   bool may_have_more) {
  NS_ASSIGN_OR_RETURN(const std::vector<Batch> read, LoadBatches(path));
  const auto count = static_cast<int64_t>(read.size());
  if (count < batches || (count > batches && !may_have_more)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": has labels of ", count, " batches, and there are ", batches,
        "; save one tensor of integers for each batch"));
  }
  std::vector<at::Tensor> labels;
  for (int64_t i = 0; i < batches; ++i) {
    const Batch& batch = read[static_cast<size_t>(i)];
    const bool is_tensor =
        batch.arguments.size() == 1 && batch.arguments[0].isTensor();
    const at::Tensor tensor =
        is_tensor ? batch.arguments[0].toTensor() : at::Tensor();
    if (!is_tensor || !c10::isIntegralType(tensor.scalar_type(),
                                           /*includeBool=*/false)) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": batch ", i,
          " is no tensor of integers; save one for each batch of inputs"));
    }
    labels.push_back(tensor.to(at::kLong).reshape({-1}));
  }
  return labels;
}

std::unique_ptr<TrainingLoss> MakeLabelLoss(std::vector<at::Tensor> labels) {
  return std::make_unique<LabelLoss>(std::move(labels));
}

std::unique_ptr<TrainingLoss> MakeTeacherLoss(ModelGraph teacher) {
  return std::make_unique<TeacherLoss>(std::move(teacher));
}

}  // namespace ns
