// Reads the flags that say how `ns quantize --mode=qat` trains a model.
#ifndef TOOLS_FLAGS_TRAINING_FLAGS_H_
#define TOOLS_FLAGS_TRAINING_FLAGS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/training/train.h"
#include "ns/training/training_loss.h"
#include "tools/command_line/command_line.h"

namespace ns {

struct TrainingFlags {
  // The file with the labels of the batches. Empty for none: the model is then
  // trained to give what the float model gives.
  std::string labels_path;
  // How many batches, the last ones, are not trained on but measured on. Absent
  // for a tenth, rounded down: none of fewer than ten.
  std::optional<int64_t> held_out;
  TrainOptions options;
};

// The names of these flags, without "--".
std::vector<absl::string_view> TrainingFlagNames();

// Reads the flags. The state of the training, from which a killed run goes on,
// is kept in --checkpoint or, without that flag, in "<out_path>.checkpoint".
// Error: wrong usage.
absl::StatusOr<TrainingFlags> ParseTrainingFlags(const Flags& flags,
                                                 const std::string& out_path);

// Returns how many of `batches`, the first ones, are trained on. Error: no
// batch is left to train on.
absl::StatusOr<int64_t> TrainedBatches(const TrainingFlags& flags,
                                       const BatchReader& batches);

// Returns the loss that the flags ask for: by the labels or, without any, by
// the difference from what a copy of `float_model` gives. Error: labels that
// cannot be read, or a model that cannot be copied.
absl::StatusOr<std::unique_ptr<TrainingLoss>> MakeLoss(
    const TrainingFlags& flags, const BatchReader& batches,
    const ModelGraph& float_model);

}  // namespace ns

#endif  // TOOLS_FLAGS_TRAINING_FLAGS_H_
