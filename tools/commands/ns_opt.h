// Implements the pass tool, ns_opt, as a function.
#ifndef TOOLS_COMMANDS_NS_OPT_H_
#define TOOLS_COMMANDS_NS_OPT_H_

#include <string>
#include <vector>

namespace ns {

// Runs `ns_opt --passes=... [--flag=value ...]`: passes over the IR text of
// standard input, or over models. `arguments` are those behind the program's
// name, without it. Call PrepareProcess (run_tool.h) before. Prints the result
// to standard output, what flags such as --print-remarks ask for to standard
// error and, where it fails, one line with the error there. Returns the exit
// code.
int RunNsOpt(const std::vector<std::string>& arguments);

}  // namespace ns

#endif  // TOOLS_COMMANDS_NS_OPT_H_
