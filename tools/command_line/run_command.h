// Runs a program that consists of one command.
#ifndef TOOLS_COMMAND_LINE_RUN_COMMAND_H_
#define TOOLS_COMMAND_LINE_RUN_COMMAND_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "tools/command_line/command_line.h"

namespace ns {

// Parses the flags, or prints the help that --help asks for, and runs
// `command`. Prints an error as "name: message". Returns the exit code: 0, 1
// when the command failed, 2 when the flags are wrong.
int RunCommand(const CommandSpec& spec, int argc, char** argv,
               absl::FunctionRef<absl::Status(const Flags& flags)> command);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_RUN_COMMAND_H_
