// Keeps the state of a training in a file, so that a killed run can go on.
#ifndef NS_TRAINING_TRAINING_CHECKPOINT_H_
#define NS_TRAINING_TRAINING_CHECKPOINT_H_

#include <torch/csrc/jit/api/module.h>
#include <torch/optim/optimizer.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/training/training_report.h"

namespace ns {

// Where a training is.
struct TrainingPosition {
  // The epoch that runs, and how many of its batches are done.
  int64_t epoch = 0;
  int64_t batch = 0;
  // What these batches have given.
  TrainingFigures so_far;
  // The epochs that are done.
  std::vector<EpochReport> epochs;
};

// Writes the parameters, buffers, observers and other values of `model`
// and the state of `optimizer`. `run` says which run it is, in lines
// "name=value". The file is a TorchScript module; it appears completely or not
// at all.
absl::Status SaveCheckpoint(const std::string& path, const std::string& run,
                            const torch::jit::Module& model,
                            const torch::optim::Optimizer& optimizer,
                            const TrainingPosition& position);

// Gives `model` and `optimizer` the state that SaveCheckpoint wrote, and
// returns where it was; none when there is no file. Error: a path that does not
// tell whether there is one, as in a folder that is not readable; a file that
// is no checkpoint, one of another run, with what differs, and one of another
// model. `model` has not changed then.
absl::StatusOr<std::optional<TrainingPosition>> RestoreCheckpoint(
    const std::string& path, const std::string& run,
    const torch::jit::Module& model, torch::optim::Optimizer& optimizer);

}  // namespace ns

#endif  // NS_TRAINING_TRAINING_CHECKPOINT_H_
