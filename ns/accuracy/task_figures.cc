#include "ns/accuracy/task_figures.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/accuracy/batch_labels.h"
#include "ns/accuracy/class_labels.h"

namespace ns {

namespace {

absl::StatusOr<LabelAccuracy> LoadAccuracy(const TaskFigureOptions& options,
                                           int64_t batches,
                                           const SampleSelection& selection) {
  NS_ASSIGN_OR_RETURN(LabelAccuracy accuracy,
                      LabelAccuracy::Load(options.labels_path, batches,
                                          options.has_more_labels));
  if (selection) {
    NS_RETURN_IF_ERROR(accuracy.Select(*selection));
  }
  return accuracy;
}

absl::StatusOr<std::vector<c10::IValue>> LoadSelected(
    const TaskFigureOptions& options, int64_t batches,
    const SampleSelection& selection) {
  NS_ASSIGN_OR_RETURN(
      std::vector<c10::IValue> labels,
      LoadBatchLabels(options.labels_path, batches,
                      options.has_more_labels ? SurplusLabels::kIgnored
                                              : SurplusLabels::kRefused));
  if (!selection) {
    return labels;
  }
  return Annotated(
      options.labels_path, CatchTorchErrors([&] {
        std::vector<c10::IValue> selected;
        for (const BatchSamples& of_batch : *selection) {
          selected.push_back(SelectedEntries(
              labels.at(static_cast<size_t>(of_batch.batch)), of_batch));
        }
        return selected;
      }));
}

}  // namespace

absl::StatusOr<TaskFigures> TaskFigures::Load(const TaskFigureOptions& options,
                                              int64_t batches,
                                              SampleSelection selection) {
  TaskFigures figures;
  figures.selection_ = std::move(selection);
  const bool has_labels = !options.labels_path.empty();
  const bool has_scores = !options.scores.empty();
  if (has_labels) {
    absl::StatusOr<LabelAccuracy> accuracy =
        LoadAccuracy(options, batches, figures.selection_);
    if (accuracy.ok()) {
      figures.accuracy_ = *std::move(accuracy);
    } else if (!has_scores) {
      return accuracy.status();
    }
  }
  if (has_scores) {
    std::optional<std::vector<c10::IValue>> labels;
    if (has_labels) {
      NS_ASSIGN_OR_RETURN(labels,
                          LoadSelected(options, batches, figures.selection_));
    }
    NS_ASSIGN_OR_RETURN(figures.scores_,
                        TaskScores::Load(options.scores, std::move(labels)));
  }
  return figures;
}

absl::Status TaskFigures::Add(int64_t index, const c10::IValue& of_float,
                              const c10::IValue& of_quantized) {
  agreement_.Add(of_float, of_quantized);
  if (accuracy_) {
    absl::Status added = accuracy_->Add(index, of_float, of_quantized);
    if (!added.ok() && !scores_) {
      return added;
    }
    if (!added.ok()) {
      accuracy_.reset();  // The labels are for the scores alone.
    }
  }
  if (!scores_) {
    return absl::OkStatus();
  }
  const int64_t number =
      selection_ ? selection_->at(static_cast<size_t>(index)).batch : index;
  return Annotated(absl::StrCat("batch ", number),
                   scores_->Add(index, of_float, of_quantized));
}

absl::Status TaskFigures::SetFigures(ComparisonResult& result) {
  if (accuracy_) {
    result.accuracy = accuracy_->Result();
  }
  result.agreement = agreement_.Result();
  if (!scores_) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(result.scores, scores_->Result());
  for (std::string& warning : NanScoreWarnings(result.scores)) {
    result.warnings.push_back(std::move(warning));
  }
  return absl::OkStatus();
}

void TaskFigures::Save(ByteWriter& writer) const {
  agreement_.Save(writer);
  if (accuracy_) {
    accuracy_->Save(writer);
  }
}

void TaskFigures::Merge(ByteReader& reader) {
  agreement_.Merge(reader);
  if (accuracy_) {
    accuracy_->Merge(reader);
  }
}

}  // namespace ns
