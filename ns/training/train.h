// Trains a model on batches, with checkpoints, so that a run that was killed
// can be resumed.
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
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/training/training_loss.h"
#include "ns/training/training_report.h"

namespace ns {

// What TrainedModel::before_epoch is told. Valid during that call only.
struct EpochStart {
  // Counted from 0.
  int64_t epoch = 0;
  // True at the beginning of the epoch; false if a checkpoint resumes it after
  // some of its batches.
  bool begins = false;
  // The indices of the batches, in the order in which this epoch trains on
  // them.
  const std::vector<int64_t>& order;
};

struct TrainedModel {
  // Checkpoints hold its parameters, buffers, observers and other attributes.
  torch::jit::Module module;
  // The method that computes the output.
  std::string method = "forward";
  // What is trained: leaf tensors with requires_grad, each only once.
  std::vector<at::Tensor> parameters;
  // Called before the first batch of an epoch that this run trains on; may be
  // null.
  std::function<absl::Status(const EpochStart& start)> before_epoch;
  // Called with false before the model is measured without training it, and
  // with true afterwards, also if measuring fails. May be null.
  std::function<void(bool training)> switch_training;
};

// What a model is trained and measured on. `batches` and `loss` must outlive
// this.
struct TrainingData {
  const BatchReader& batches;
  // How many of the batches, the first ones, are trained on: 1 to
  // batches.size(). The others are held out: the model is only measured on
  // them.
  int64_t trained = 0;
  TrainingLoss& loss;

  int64_t held_out() const { return batches.size() - trained; }
  // How many batches MeasureHeldOut runs.
  int64_t measured() const { return held_out() > 0 ? held_out() : trained; }
};

enum class OptimizerKind { kAdam, kSgd };

// Returns a learning rate that suits models that are trained already: 3e-4 for
// Adam, 1e-2 for SGD.
double DefaultRate(OptimizerKind optimizer);

struct TrainOptions {
  int64_t epochs = 3;
  // The rate of the first step, finite and not negative. From there, it falls
  // towards 0 along half a cosine. If absent, it is DefaultRate.
  std::optional<double> learning_rate;
  // SGD has a momentum of 0.9.
  OptimizerKind optimizer = OptimizerKind::kAdam;
  // Determines the order of the batches and, since each step seeds LibTorch's
  // generator (at::manual_seed), dropout.
  int64_t seed = 0;
  // The checkpoint file. It is written after each epoch, and between batches as
  // often as the next option says. If the file exists when Train begins, the
  // training resumes from it. Empty: no checkpoints.
  std::string checkpoint_path;
  std::chrono::milliseconds between_checkpoints = std::chrono::seconds(30);
  // The settings of this run, in lines "name=value". A checkpoint with other
  // settings is refused.
  std::string run;
  // Called after each step with the number of steps done, and of all steps.
  // Steps before a checkpoint count as done. May be null.
  std::function<void(int64_t done, int64_t total)> progress;
  // Called after each epoch and, when a run is resumed, first for each epoch
  // that is done already. May be null.
  std::function<void(const EpochReport& epoch)> after_epoch;
};

// Returns the parameters of `module` and of its submodules that have
// requires_grad, each only once.
std::vector<at::Tensor> TrainableParameters(const torch::jit::Module& module);

// Error: no epoch, TrainingData::trained or a learning rate that is out of
// range.
absl::Status CheckTraining(const TrainingData& data,
                           const TrainOptions& options);

// Trains the parameters of `model` for all epochs. Returns a report for each
// epoch, also for those done before a checkpoint. A run that is resumed gives
// the same result, to the bit, as one that was not interrupted. Error: that of
// CheckTraining; a model without parameters, with others than
// TrainedModel::parameters says, or without the method, or one that keeps what
// it computes with them from batch to batch; a batch that the model does not
// take (the message names it); a loss that is not finite; a checkpoint of
// another run. Parameters may have changed by then.
absl::StatusOr<std::vector<EpochReport>> Train(const TrainedModel& model,
                                               const TrainingData& data,
                                               const TrainOptions& options);

// Returns a report with the settings of the training, and without figures.
TrainingReport ReportFor(const TrainingData& data, const TrainOptions& options);

// Returns the loss of `model` on the held-out batches or, if there are none, on
// all batches. Messages call it "the <name> model". `progress`, which may be
// null, is called after each batch with the number of batches done. Error: a
// batch that the model or the loss does not take; TrainingData::trained that is
// negative or more than all batches.
absl::StatusOr<TrainingFigures> MeasureHeldOut(
    absl::string_view name, const ModelGraph& model, const TrainingData& data,
    const std::function<void(int64_t done)>& progress = nullptr);

}  // namespace ns

#endif  // NS_TRAINING_TRAIN_H_
