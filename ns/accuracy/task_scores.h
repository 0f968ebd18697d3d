// Scores what two models return, batch by batch, with modules of the user's.
#ifndef NS_ACCURACY_TASK_SCORES_H_
#define NS_ACCURACY_TASK_SCORES_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/accuracy/score_module.h"
#include "ns/result/task_score.h"

namespace ns {

// A score of the user's: a file that ScoreModule loads.
struct ScoreFile {
  std::string name;
  std::string path;
};

// Memory holds the labels, and what the modules keep.
class TaskScores {
 public:
  // Loads each module twice, so that each model has one with a state of its
  // own. `labels` are of the batches, of any type; absent where there are none.
  // Error: that of ScoreModule::Load, naming the score.
  static absl::StatusOr<TaskScores> Load(
      const std::vector<ScoreFile>& files,
      std::optional<std::vector<c10::IValue>> labels);

  // Updates all scores with what the models returned for the batch at `index`.
  // Error: that of ScoreModule::Update, naming score and model. The scores must
  // then not be used any more.
  absl::Status Add(int64_t index, const c10::IValue& of_float,
                   const c10::IValue& of_quantized);

  // Returns the scores of the batches so far, in the order of the files. Error:
  // that of ScoreModule::Compute, naming score and model.
  absl::StatusOr<std::vector<TaskScore>> Result();

 private:
  struct OfBoth {
    std::string name;
    ScoreModule of_float;
    ScoreModule of_quantized;
  };

  TaskScores(std::vector<OfBoth> scores,
             std::optional<std::vector<c10::IValue>> labels)
      : scores_(std::move(scores)), labels_(std::move(labels)) {}

  std::vector<OfBoth> scores_;
  std::optional<std::vector<c10::IValue>> labels_;
};

// Returns a line for each score that is nan for a model.
std::vector<std::string> NanScoreWarnings(const std::vector<TaskScore>& scores);

}  // namespace ns

#endif  // NS_ACCURACY_TASK_SCORES_H_
