// Implements the command-line tool, ns, as a function.
#ifndef TOOLS_COMMAND_LINE_RUN_NS_H_
#define TOOLS_COMMAND_LINE_RUN_NS_H_

#include <string>
#include <vector>

namespace ns {

// Runs `ns COMMAND [--flag=value ...]`: prints to standard output and, where it
// fails, one line to standard error. Returns the exit code.
int RunNs(const std::vector<std::string>& arguments);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_RUN_NS_H_
