#include "tools/flags/training_flags.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/accuracy/class_labels.h"

namespace ns {
namespace {

constexpr int64_t kMostEpochs = 1000000;
constexpr absl::string_view kOptimizers[] = {"adam", "sgd"};

}  // namespace

std::vector<absl::string_view> TrainingFlagNames() {
  return {"labels",   "epochs", "lr",        "optimizer",
          "held-out", "seed",   "checkpoint"};
}

absl::StatusOr<TrainingFlags> ParseTrainingFlags(const Flags& flags,
                                                 const std::string& out_path) {
  TrainingFlags parsed;
  TrainOptions& options = parsed.options;
  if (flags.Has("labels")) {
    NS_ASSIGN_OR_RETURN(parsed.labels_path, flags.Required("labels"));
  }
  options.checkpoint_path = absl::StrCat(out_path, ".checkpoint");
  if (flags.Has("checkpoint")) {
    NS_ASSIGN_OR_RETURN(options.checkpoint_path, flags.Required("checkpoint"));
  }
  NS_ASSIGN_OR_RETURN(parsed.held_out, flags.Number("held-out", 0));
  NS_ASSIGN_OR_RETURN(const auto epochs, flags.Number("epochs", 1));
  NS_ASSIGN_OR_RETURN(const auto seed, flags.Number("seed", 0));
  NS_ASSIGN_OR_RETURN(const auto rate, flags.Positive("lr"));
  NS_ASSIGN_OR_RETURN(const std::string optimizer,
                      flags.Choice("optimizer", kOptimizers));
  options.epochs = epochs.value_or(options.epochs);
  if (options.epochs > kMostEpochs) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--epochs=", options.epochs, " is more than ", kMostEpochs));
  }
  options.seed = seed.value_or(options.seed);
  options.optimizer =
      optimizer == "sgd" ? OptimizerKind::kSgd : OptimizerKind::kAdam;
  options.learning_rate = rate;
  return parsed;
}

absl::StatusOr<int64_t> TrainedBatches(const TrainingFlags& flags,
                                       const BatchReader& batches) {
  const int64_t held_out = flags.held_out.value_or(batches.size() / 10);
  if (held_out >= batches.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--held-out=", held_out, " leaves nothing to train on: ", "there are ",
        batches.size(), " batches"));
  }
  return batches.size() - held_out;
}

absl::StatusOr<std::unique_ptr<TrainingLoss>> MakeLoss(
    const TrainingFlags& flags, const BatchReader& batches,
    const ModelGraph& float_model) {
  if (flags.labels_path.empty()) {
    NS_ASSIGN_OR_RETURN(ModelGraph teacher, float_model.Clone());
    return MakeTeacherLoss(std::move(teacher));
  }
  NS_ASSIGN_OR_RETURN(std::vector<at::Tensor> labels,
                      LoadLabels(flags.labels_path, batches.size()));
  return MakeLabelLoss(std::move(labels));
}

}  // namespace ns
