// Implements the pass tool, ns_opt, as a function.
#ifndef TOOLS_COMMAND_LINE_NS_OPT_H_
#define TOOLS_COMMAND_LINE_NS_OPT_H_

#include <string>
#include <vector>

namespace ns {

// Runs `ns_opt --passes=... [--flag=value ...]`: passes over the IR text of
// standard input, or over models. Prints to standard output and, where it
// fails, one line to standard error. Returns the exit code.
int RunNsOpt(const std::vector<std::string>& arguments);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_NS_OPT_H_
