// `ns quantize --mode=qat`: trains a model and quantizes it.
#ifndef TOOLS_COMMANDS_QUANTIZE_TRAIN_MODEL_H_
#define TOOLS_COMMANDS_QUANTIZE_TRAIN_MODEL_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/files/atomic_file.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/report/quantize_summary.h"
#include "tools/command_line/progress_bar.h"
#include "tools/flags/quantize_flags.h"

namespace ns {

// Trains the float model of `flags`, whose mode is "qat", as a flat graph or
// module by module, adds what writes the quantized model to flags.out_path to
// `files`, and returns what to report. `bar` shows the progress, and a line for
// each epoch. A run that was killed goes on from its checkpoint, which is to be
// removed when the model has been written. Error: a file that cannot be read or
// written, a model that cannot be quantized, or an error of Train
// (ns/training/train.h).
absl::StatusOr<QuantizeSummary> TrainModel(const QuantizeFlags& flags,
                                           const BatchReader& batches,
                                           ProgressBar& bar,
                                           std::vector<FileToWrite>& files);

}  // namespace ns

#endif  // TOOLS_COMMANDS_QUANTIZE_TRAIN_MODEL_H_
