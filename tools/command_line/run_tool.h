// Sets up and ends the processes of all tools in the same way.
#ifndef TOOLS_COMMAND_LINE_RUN_TOOL_H_
#define TOOLS_COMMAND_LINE_RUN_TOOL_H_

#include <functional>

#include "absl/strings/string_view.h"
#include "tools/command_line/commands.h"

namespace ns {

// Prepares the process; to be called first in main(). It takes care of closed
// streams, LibTorch's warnings, and the folder that relative paths start from,
// which under `bazel run` is the caller's. Where that folder is gone, it prints
// so and returns false.
bool PrepareProcess(absl::string_view tool);

// Runs `run`, makes sure that standard output was written, and prints the line
// "<tool>: <message>" to standard error unless all went well. Exceptions count
// as internal errors. Returns the exit code.
int RunTool(absl::string_view tool, const std::function<CommandOutcome()>& run);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_RUN_TOOL_H_
