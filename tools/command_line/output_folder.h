// Makes the folder that --out names.
#ifndef TOOLS_COMMAND_LINE_OUTPUT_FOLDER_H_
#define TOOLS_COMMAND_LINE_OUTPUT_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"

namespace ns {

// Makes `folder`, the value of --out, and its parents where they do not exist.
// Returns whether it made `folder`. Error: it cannot be made or written to, or
// is no folder.
absl::StatusOr<bool> MakeOutputFolder(const std::string& folder);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_OUTPUT_FOLDER_H_
