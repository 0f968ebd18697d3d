#include "ns/training/train.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/model/module_state.h"
#include "ns/batches/batches.h"
#include "ns/batches/run_batches.h"
#include "ns/training/training_checkpoint.h"

namespace ns {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMomentum = 0.9;
constexpr double kPi = 3.14159265358979323846;

std::unique_ptr<torch::optim::Optimizer> MakeOptimizer(
    OptimizerKind kind, std::vector<at::Tensor> parameters, double rate) {
  if (kind == OptimizerKind::kSgd) {
    return std::make_unique<torch::optim::SGD>(
        std::move(parameters),
        torch::optim::SGDOptions(rate).momentum(kMomentum));
  }
  return std::make_unique<torch::optim::Adam>(std::move(parameters),
                                              torch::optim::AdamOptions(rate));
}

void Add(const BatchLoss& loss, TrainingFigures& figures) {
  ++figures.batches;
  figures.loss_sum += loss.loss.item<double>();
  figures.samples += loss.samples;
  figures.correct += loss.correct;
}

// The order of the batches of an epoch.
std::vector<int64_t> OrderOf(int64_t batches, int64_t seed, int64_t epoch) {
  std::vector<int64_t> order(static_cast<size_t>(batches));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(static_cast<uint64_t>(seed) * 1000003 +
                         static_cast<uint64_t>(epoch));
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

// Error: more batches to train on than there are, or a negative number.
absl::Status CheckTrained(const TrainingData& data) {
  if (data.trained < 0 || data.trained > data.batches.size()) {
    return absl::InvalidArgumentError(absl::StrCat("training on ", data.trained,
                                                   " of ", data.batches.size(),
                                                   " batches is not possible"));
  }
  return absl::OkStatus();
}

class Training {
 public:
  Training(const TrainedModel& model, const TrainingData& data,
           const TrainOptions& options)
      : model_(model),
        data_(data),
        options_(options),
        rate_(options.learning_rate.value_or(DefaultRate(options.optimizer))) {}

  absl::StatusOr<std::vector<EpochReport>> Run() {
    NS_RETURN_IF_ERROR(CheckTraining(data_, options_));
    if (model_.parameters.empty()) {
      return absl::InvalidArgumentError(
          "the model has no parameters that could be trained");
    }
    if (!model_.module.find_method(model_.method)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the model has no method '", model_.method, "'"));
    }
    NS_ASSIGN_OR_RETURN(
        optimizer_, CatchTorchErrors("making the optimizer", [&] {
          return MakeOptimizer(options_.optimizer, model_.parameters, rate_);
        }));
    NS_RETURN_IF_ERROR(GoOn());
    for (; at_.epoch < options_.epochs; ++at_.epoch) {
      NS_RETURN_IF_ERROR(RunEpoch());
      EpochReport report = {at_.epoch, at_.so_far, {}};
      NS_ASSIGN_OR_RETURN(report.held_out, MeasureTrained());
      at_.epochs.push_back(report);
      if (options_.after_epoch) {
        options_.after_epoch(report);
      }
      at_.batch = 0;
      at_.so_far = {};
      TrainingPosition next = at_;
      ++next.epoch;
      NS_RETURN_IF_ERROR(Keep(next));
    }
    return at_.epochs;
  }

 private:
  // Goes on from the checkpoint, if there is one.
  absl::Status GoOn() {
    if (options_.checkpoint_path.empty()) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(
        const std::optional<TrainingPosition> position,
        RestoreCheckpoint(options_.checkpoint_path, options_.run, model_.module,
                          *optimizer_));
    if (!position) {
      return absl::OkStatus();
    }
    at_ = *position;
    for (const EpochReport& epoch : at_.epochs) {
      if (options_.after_epoch) {
        options_.after_epoch(epoch);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Keep(const TrainingPosition& position) {
    kept_ = Clock::now();
    return options_.checkpoint_path.empty()
               ? absl::OkStatus()
               : SaveCheckpoint(options_.checkpoint_path, options_.run,
                                model_.module, *optimizer_, position);
  }

  absl::Status RunEpoch() {
    const std::vector<int64_t> order =
        OrderOf(data_.trained, options_.seed, at_.epoch);
    if (model_.before_epoch) {
      NS_RETURN_IF_ERROR(
          model_.before_epoch({at_.epoch, at_.batch == 0, order}));
    }
    while (at_.batch < data_.trained) {
      NS_RETURN_IF_ERROR(Step(order[static_cast<size_t>(at_.batch)]));
      ++at_.batch;
      if (options_.progress) {
        options_.progress(StepsDone(), StepsToDo());
      }
      if (Clock::now() - kept_ >= options_.between_checkpoints) {
        NS_RETURN_IF_ERROR(Keep(at_));
      }
    }
    return absl::OkStatus();
  }

  int64_t StepsDone() const { return at_.epoch * data_.trained + at_.batch; }
  int64_t StepsToDo() const { return options_.epochs * data_.trained; }

  absl::Status Step(int64_t index) {
    // Dropout is the same in a run that goes on from here.
    at::manual_seed(static_cast<uint64_t>(options_.seed) +
                    static_cast<uint64_t>(StepsDone()));
    const double part =
        static_cast<double>(StepsDone()) / static_cast<double>(StepsToDo());
    for (torch::optim::OptimizerParamGroup& group :
         optimizer_->param_groups()) {
      group.options().set_lr(rate_ * (1 + std::cos(kPi * part)) / 2);
    }
    // Without a gradient, a parameter that a batch does not use stays as it is,
    // also in a run that goes on from a checkpoint.
    for (const at::Tensor& parameter : model_.parameters) {
      parameter.mutable_grad() = at::Tensor();
    }
    NS_ASSIGN_OR_RETURN(const BatchLoss loss, LossOf(index));
    if (!std::isfinite(loss.loss.item<double>())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the loss is not finite any more in epoch ", at_.epoch + 1,
          ", batch ", index, "; train with a smaller learning rate"));
    }
    Add(loss, at_.so_far);
    const absl::Status stepped = CatchTorchErrors("a training step", [&] {
      loss.loss.backward();
      optimizer_->step();
    });
    return NamingState(
        model_.module, stepped,
        "quantize it without training, in the static or dynamic mode");
  }

  absl::StatusOr<BatchLoss> LossOf(int64_t index) {
    NS_ASSIGN_OR_RETURN(Batch batch, data_.batches.Read(index));
    const std::string name = BatchName(batch, index);
    torch::jit::Method method = model_.module.get_method(model_.method);
    NS_RETURN_IF_ERROR(
        Annotated(name, FitBatch(method.function().getSchema(), batch)));
    const Batch copy = Copied(batch);
    NS_ASSIGN_OR_RETURN(
        const c10::IValue output, CatchTorchErrors(name, [&] {
          const torch::jit::GraphOptimizerEnabledGuard as_it_stands(false);
          return method(copy.arguments, copy.keywords);
        }));
    return CatchTorchErrors(
        name, [&] { return data_.loss.Of(output, batch, index); });
  }

  // The model as it is, on what is held out.
  absl::StatusOr<TrainingFigures> MeasureTrained() {
    if (model_.switch_training) {
      model_.switch_training(false);
    }
    const absl::StatusOr<TrainingFigures> figures = FiguresOfHeldOut();
    if (model_.switch_training) {
      model_.switch_training(true);
    }
    return figures;
  }

  absl::StatusOr<TrainingFigures> FiguresOfHeldOut() {
    TrainingFigures figures;
    const at::NoGradGuard no_grad;
    for (int64_t i = data_.trained; i < data_.batches.size(); ++i) {
      NS_ASSIGN_OR_RETURN(const BatchLoss loss, LossOf(i));
      Add(loss, figures);
    }
    return figures;
  }

  const TrainedModel& model_;
  const TrainingData& data_;
  const TrainOptions& options_;
  const double rate_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  TrainingPosition at_;
  Clock::time_point kept_ = Clock::now();
};

}  // namespace

std::vector<at::Tensor> TrainableParameters(const torch::jit::Module& module) {
  std::vector<at::Tensor> parameters;
  std::set<const c10::TensorImpl*> seen;
  for (const at::Tensor& parameter : module.parameters()) {
    if (parameter.requires_grad() &&
        seen.insert(parameter.unsafeGetTensorImpl()).second) {
      parameters.push_back(parameter);
    }
  }
  return parameters;
}

double DefaultRate(OptimizerKind optimizer) {
  return optimizer == OptimizerKind::kAdam ? 3e-4 : 1e-2;
}

absl::Status CheckTraining(const TrainingData& data,
                           const TrainOptions& options) {
  if (options.epochs < 1 || data.trained < 1) {
    return absl::InvalidArgumentError(
        "training needs one epoch and one batch at least");
  }
  const double rate =
      options.learning_rate.value_or(DefaultRate(options.optimizer));
  if (!(rate >= 0) || !std::isfinite(rate)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the learning rate is ", rate,
                     "; use a finite number that is not negative"));
  }
  return CheckTrained(data);
}

absl::StatusOr<std::vector<EpochReport>> Train(const TrainedModel& model,
                                               const TrainingData& data,
                                               const TrainOptions& options) {
  return Training(model, data, options).Run();
}

TrainingReport ReportFor(const TrainingData& data,
                         const TrainOptions& options) {
  TrainingReport report;
  report.goal = data.loss.counts_samples() ? "labels" : "float model";
  report.optimizer = options.optimizer == OptimizerKind::kAdam ? "adam" : "sgd";
  report.learning_rate =
      options.learning_rate.value_or(DefaultRate(options.optimizer));
  report.trained_batches = data.trained;
  report.held_out_batches = data.held_out();
  return report;
}

absl::StatusOr<TrainingFigures> MeasureHeldOut(
    absl::string_view name, const ModelGraph& model, const TrainingData& data,
    const std::function<void(int64_t done)>& progress) {
  NS_RETURN_IF_ERROR(CheckTrained(data));
  NS_ASSIGN_OR_RETURN(ModelGraph copy, model.Clone());
  TrainingFigures figures;
  const int64_t first = data.batches.size() - data.measured();
  for (int64_t i = first; i < data.batches.size(); ++i) {
    NS_ASSIGN_OR_RETURN(const Batch batch, data.batches.Read(i));
    NS_ASSIGN_OR_RETURN(const c10::IValue output,
                        RunBatch(name, copy, batch, i));
    NS_ASSIGN_OR_RETURN(const BatchLoss loss,
                        CatchTorchErrors(BatchName(batch, i), [&] {
                          return data.loss.Of(output, batch, i);
                        }));
    Add(loss, figures);
    if (progress) {
      progress(i + 1 - first);
    }
  }
  return figures;
}

}  // namespace ns
