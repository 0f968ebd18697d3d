// Compares files that hold state dicts for `ns compare`.
#ifndef TOOLS_COMMAND_LINE_STATE_DICT_FILES_H_
#define TOOLS_COMMAND_LINE_STATE_DICT_FILES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/suite/comparison_result.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/model_pair.h"

namespace ns {

// Whether both files of `models` are state dicts rather than TorchScript.
bool AreStateDicts(const ModelPairOptions& models);

// Error: a flag that says how TorchScript models are matched or run is given.
absl::Status CheckFlagsOfStateDicts(const Flags& flags);

// Compares the weights of both files: see ns/eager/compare_state_dicts.h.
// Errors name the files.
absl::StatusOr<ComparisonResult> CompareStateDictFiles(
    const ModelPairOptions& models);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_STATE_DICT_FILES_H_
