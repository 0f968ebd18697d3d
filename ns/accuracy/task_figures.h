// Gathers the figures of the task of two models: accuracy, agreement, scores.
#ifndef NS_ACCURACY_TASK_FIGURES_H_
#define NS_ACCURACY_TASK_FIGURES_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/base/byte_stream.h"
#include "ns/accuracy/agreement_counts.h"
#include "ns/accuracy/label_accuracy.h"
#include "ns/accuracy/task_scores.h"
#include "ns/batches/batch.h"
#include "ns/result/comparison_result.h"

namespace ns {

struct TaskFigureOptions {
  // Labels of the batches; empty without any. Without scores they must be
  // classes, as LabelAccuracy::Load says. With scores they are of any type, and
  // accuracy is counted only where LabelAccuracy takes them.
  std::string labels_path;
  // Whether there may be labels of more batches than there are.
  bool has_more_labels = false;
  std::vector<ScoreFile> scores;
};

// Which samples of which batches are compared; absent for all.
using SampleSelection = std::optional<std::vector<BatchSamples>>;

class TaskFigures {
 public:
  // Loads the labels of `batches` batches, and the scores. With a `selection`,
  // the batches that are added are those samples of the others. Errors: those
  // of LabelAccuracy::Load, LoadBatchLabels and TaskScores::Load.
  static absl::StatusOr<TaskFigures> Load(const TaskFigureOptions& options,
                                          int64_t batches,
                                          SampleSelection selection = {});

  // Adds what the models returned for the batch at `index`. Errors: those of
  // LabelAccuracy::Add and TaskScores::Add, naming the batch.
  absl::Status Add(int64_t index, const c10::IValue& of_float,
                   const c10::IValue& of_quantized);

  // Sets the accuracy, the agreement and the scores of `result`, and warns of
  // scores that are nan. Error: that of TaskScores::Result.
  absl::Status SetFigures(ComparisonResult& result);

  // Save what was gathered so far, and add it to what was gathered from other
  // batches. There must be no scores, whose modules cannot be merged.
  void Save(ByteWriter& writer) const;
  void Merge(ByteReader& reader);

 private:
  SampleSelection selection_;
  AgreementCounts agreement_;
  std::optional<LabelAccuracy> accuracy_;
  std::optional<TaskScores> scores_;
};

}  // namespace ns

#endif  // NS_ACCURACY_TASK_FIGURES_H_
