// Compares files that hold state dicts for `ns compare`.
#ifndef TOOLS_COMMAND_LINE_STATE_DICT_FILES_H_
#define TOOLS_COMMAND_LINE_STATE_DICT_FILES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/suite/comparison_result.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/model_pair.h"

namespace ns {

// Whether both --float and --quantized are files of state dicts, and so none of
// them is TorchScript. False also for a file that cannot be read.
bool AreStateDicts(const ModelPairOptions& models);

// Returns an error if one of the flags is given that say how graphs are matched
// or run, such as --matching or --inputs. To be called when AreStateDicts.
absl::Status CheckFlagsOfStateDicts(const Flags& flags);

// Loads both files and compares their weights (CompareStateDicts of
// ns/eager/compare_state_dicts.h), with their histograms where `histograms`
// asks for them. Of `models`, only the two paths are used. Errors name the
// file, or both.
absl::StatusOr<ComparisonResult> CompareStateDictFiles(
    const ModelPairOptions& models, bool histograms);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_STATE_DICT_FILES_H_
