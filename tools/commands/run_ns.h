// Implements the command-line tool, ns, as a function.
#ifndef TOOLS_COMMANDS_RUN_NS_H_
#define TOOLS_COMMANDS_RUN_NS_H_

#include <string>
#include <vector>

namespace ns {

// Runs `ns COMMAND [--flag=value ...]`. `arguments` are the command and what
// follows it. Call PrepareProcess (run_tool.h) first. Prints to standard output
// and, unless the exit code is 0, one line with the reason to standard error.
// Returns the exit code, one of ExitCode (commands.h).
int RunNs(const std::vector<std::string>& arguments);

}  // namespace ns

#endif  // TOOLS_COMMANDS_RUN_NS_H_
