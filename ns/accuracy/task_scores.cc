#include "ns/accuracy/task_scores.h"

#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"

namespace ns {
namespace {

std::string Named(const std::string& score) {
  return absl::StrCat("score '", score, "'");
}

std::string NamedOf(const std::string& score, const char* model) {
  return absl::StrCat(Named(score), " of the ", model, " model");
}

}  // namespace

absl::StatusOr<TaskScores> TaskScores::Load(
    const std::vector<ScoreFile>& files,
    std::optional<std::vector<c10::IValue>> labels) {
  std::vector<OfBoth> scores;
  for (const ScoreFile& file : files) {
    const auto load = [&] {
      return Annotated(Named(file.name),
                       ScoreModule::Load(file.path, labels.has_value()));
    };
    NS_ASSIGN_OR_RETURN(ScoreModule of_float, load());
    NS_ASSIGN_OR_RETURN(ScoreModule of_quantized, load());
    scores.push_back({file.name, std::move(of_float), std::move(of_quantized)});
  }
  return TaskScores(std::move(scores), std::move(labels));
}

absl::Status TaskScores::Add(int64_t index, const c10::IValue& of_float,
                             const c10::IValue& of_quantized) {
  const c10::IValue none;
  const c10::IValue& labels =
      labels_ ? labels_->at(static_cast<size_t>(index)) : none;
  const auto update = [&](const std::string& name, const char* model,
                          ScoreModule& score, const c10::IValue& outputs) {
    return Annotated(NamedOf(name, model), score.Update(outputs, labels));
  };
  for (OfBoth& score : scores_) {
    NS_RETURN_IF_ERROR(update(score.name, "float", score.of_float, of_float));
    NS_RETURN_IF_ERROR(
        update(score.name, "quantized", score.of_quantized, of_quantized));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<TaskScore>> TaskScores::Result() {
  std::vector<TaskScore> results;
  for (OfBoth& score : scores_) {
    TaskScore result;
    result.name = score.name;
    NS_ASSIGN_OR_RETURN(result.of_float, Annotated(NamedOf(score.name, "float"),
                                                   score.of_float.Compute()));
    NS_ASSIGN_OR_RETURN(result.of_quantized,
                        Annotated(NamedOf(score.name, "quantized"),
                                  score.of_quantized.Compute()));
    result.difference = result.of_quantized - result.of_float;
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<std::string> NanScoreWarnings(
    const std::vector<TaskScore>& scores) {
  std::vector<std::string> warnings;
  for (const TaskScore& score : scores) {
    const bool in_float = std::isnan(score.of_float);
    const bool in_quantized = std::isnan(score.of_quantized);
    if (in_float || in_quantized) {
      warnings.push_back(absl::StrCat(Named(score.name), " is nan for ",
                                      in_float && in_quantized ? "both models"
                                      : in_float ? "the float model"
                                                 : "the quantized model"));
    }
  }
  return warnings;
}

}  // namespace ns
