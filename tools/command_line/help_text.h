// Words the help of a command from its table of flags.
#ifndef TOOLS_COMMAND_LINE_HELP_TEXT_H_
#define TOOLS_COMMAND_LINE_HELP_TEXT_H_

#include <cstddef>
#include <string>

#include "tools/command_line/command_line.h"

namespace ns {

// Returns the text that a user reads for help: "usage: ns compare ...", with
// the summary, the details, every flag under its heading, and the example.
// Flags are wrapped to `width` columns, though not below 60.
std::string HelpText(const CommandSpec& command, size_t width);

// Returns `command`'s example as it can be pasted: with "bazel run" in a
// process that `bazel run` started, and else with the name of the program.
std::string ExampleLine(const CommandSpec& command);

// Returns the columns of the terminal that standard output is, and 80 where it
// is none.
size_t HelpWidth();

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_HELP_TEXT_H_
