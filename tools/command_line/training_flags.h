// Reads the flags that say how `ns quantize --mode=qat` trains a model.
#ifndef TOOLS_COMMAND_LINE_TRAINING_FLAGS_H_
#define TOOLS_COMMAND_LINE_TRAINING_FLAGS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/training/train.h"
#include "ns/training/training_loss.h"
#include "tools/command_line/command_line.h"

namespace ns {

struct TrainingFlags {
  // The labels of the batches; empty where the float model is the teacher.
  std::string labels_path;
  // The number of batches that are held out; absent for a tenth.
  std::optional<int64_t> held_out;
  TrainOptions options;
};

// The names of these flags.
std::vector<absl::string_view> TrainingFlagNames();

// Reads the flags. The state of the training is kept beside `out_path` unless
// they say where. Error: wrong usage.
absl::StatusOr<TrainingFlags> ParseTrainingFlags(const Flags& flags,
                                                 const std::string& out_path);

// Returns how many of `batches` are trained on. Error: none would be.
absl::StatusOr<int64_t> TrainedBatches(const TrainingFlags& flags,
                                       const BatchReader& batches);

// Returns the loss that the flags ask for, of a model whose float one is
// `float_model`. Error: labels that cannot be read.
absl::StatusOr<std::unique_ptr<TrainingLoss>> MakeLoss(
    const TrainingFlags& flags, const BatchReader& batches,
    const ModelGraph& float_model);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_TRAINING_FLAGS_H_
