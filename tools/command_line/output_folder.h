// Makes the folder that --out names.
#ifndef TOOLS_COMMAND_LINE_OUTPUT_FOLDER_H_
#define TOOLS_COMMAND_LINE_OUTPUT_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"

namespace ns {

// Makes `folder`, the value of --out, where it is not there. Returns whether it
// made it. Error: it cannot be made or written to, or is no folder.
absl::StatusOr<bool> MakeOutputFolder(const std::string& folder);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_OUTPUT_FOLDER_H_
