// Trains a model on batches, step by step, so that a killed run can go on.
#ifndef NS_TRAINING_TRAIN_H_
#define NS_TRAINING_TRAIN_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/training/training_loss.h"
#include "ns/training/training_report.h"

namespace ns {

struct EpochStart {
  // Counted from 0.
  int64_t epoch = 0;
  // Whether it begins, and does not go on from a checkpoint.
  bool begins = false;
  // The numbers of the batches in the order in which they come.
  const std::vector<int64_t>& order;
};

struct TrainedModel {
  // Its parameters, buffers and observers are kept in checkpoints.
  torch::jit::Module module;
  std::string method = "forward";
  // What is trained: tensors that ask for gradients, each once.
  std::vector<at::Tensor> parameters;
  // Called before the first batch that the run has of an epoch; may be null.
  std::function<absl::Status(const EpochStart& start)> before_epoch;
  // Called with false before the model is only measured, and with true
  // afterwards; may be null.
  std::function<void(bool training)> switch_training;
};

// What a model is trained and measured on. All must outlive it.
struct TrainingData {
  const BatchReader& batches;
  // The first batches are trained on; those behind them are held out, to be
  // measured on.
  int64_t trained = 0;
  TrainingLoss& loss;

  int64_t held_out() const { return batches.size() - trained; }
  // How many batches MeasureHeldOut runs.
  int64_t measured() const { return held_out() > 0 ? held_out() : trained; }
};

enum class OptimizerKind { kAdam, kSgd };

// A learning rate for models that are trained already: 3e-4 for Adam, 1e-2 for
// SGD.
double DefaultRate(OptimizerKind optimizer);

struct TrainOptions {
  int64_t epochs = 3;
  // Of the first step; it falls towards 0 along half a cosine. Absent for
  // DefaultRate.
  std::optional<double> learning_rate;
  // SGD has a momentum of 0.9.
  OptimizerKind optimizer = OptimizerKind::kAdam;
  // Says in which order the batches come.
  int64_t seed = 0;
  // Where the state of the training is kept, after each epoch and between
  // batches as often as the next option says; empty for nowhere. Training goes
  // on from a file that is there.
  std::string checkpoint_path;
  std::chrono::milliseconds between_checkpoints = std::chrono::seconds(30);
  // What tells this run from others, lines "name=value": a checkpoint of
  // another run is refused.
  std::string run;
  // Called after each step with the number done and the number to do.
  std::function<void(int64_t done, int64_t total)> progress;
  // Called after each epoch.
  std::function<void(const EpochReport& epoch)> after_epoch;
};

// Returns the parameters of `module` and of all modules below that ask for
// gradients; one that is there twice is returned once.
std::vector<at::Tensor> TrainableParameters(const torch::jit::Module& module);

// Trains the parameters of `model` for all epochs and returns what each has
// achieved. A run that goes on from a checkpoint gives what an uninterrupted
// one would have given, to the bit. Error: a batch that the model does not
// take, named; a loss of a step that is not finite; a model without parameters;
// a checkpoint of another run.
absl::StatusOr<std::vector<EpochReport>> Train(const TrainedModel& model,
                                               const TrainingData& data,
                                               const TrainOptions& options);

// Returns a report that says what `options` says, and no figures yet.
TrainingReport ReportFor(const TrainingData& data, const TrainOptions& options);

// Returns the loss of `model`, which messages call `name`, on the batches that
// are held out; on all, where none are. `progress`, which may be null, is
// called after each batch with the number done.
absl::StatusOr<TrainingFigures> MeasureHeldOut(
    absl::string_view name, const ModelGraph& model, const TrainingData& data,
    const std::function<void(int64_t done)>& progress = nullptr);

}  // namespace ns

#endif  // NS_TRAINING_TRAIN_H_
