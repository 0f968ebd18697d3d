// What the tools' processes have in common.
#ifndef TOOLS_COMMAND_LINE_RUN_TOOL_H_
#define TOOLS_COMMAND_LINE_RUN_TOOL_H_

#include <functional>

#include "absl/strings/string_view.h"
#include "tools/command_line/commands.h"

namespace ns {

// To be called first in main(): closed streams, LibTorch's warnings, and the
// folder that relative paths start from, which under `bazel run` is the
// caller's. Returns false, having printed why, where that folder is gone.
bool PrepareProcess(absl::string_view tool);

// Runs `run`, sees to it that standard output was written, and prints the line
// "<tool>: <message>" to standard error unless all went well. Exceptions are
// our own failure. Returns the exit code.
int RunTool(absl::string_view tool, const std::function<CommandOutcome()>& run);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_RUN_TOOL_H_
