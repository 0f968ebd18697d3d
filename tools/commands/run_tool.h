// Sets up and ends the processes of all tools in the same way.
#ifndef TOOLS_COMMANDS_RUN_TOOL_H_
#define TOOLS_COMMANDS_RUN_TOOL_H_

#include <functional>

#include "absl/strings/string_view.h"
#include "tools/commands/commands.h"

namespace ns {

// Prepares the process. To be called first in main(), before any op of LibTorch
// runs. It
//  * occupies the standard streams that the caller closed;
//  * lets LibTorch print each of its warnings once;
//  * keeps oneDNN from kernels with a known fault;
//  * enters the folder that relative paths start from: under `bazel run`, the
//    one that the user called it in.
// Where it cannot enter that folder, it prints an error, in which `tool` is the
// program's name, and returns false: main() must then return a failure.
bool PrepareProcess(absl::string_view tool);

// Runs `run` and returns the exit code. Prints "<tool>: <message>" to standard
// error unless that is ExitCode::kDone. Exceptions become internal errors. That
// standard output could not be written is an error, too.
int RunTool(absl::string_view tool, const std::function<CommandOutcome()>& run);

}  // namespace ns

#endif  // TOOLS_COMMANDS_RUN_TOOL_H_
