// Tells what standard output is.
#ifndef TOOLS_COMMAND_LINE_TERMINAL_H_
#define TOOLS_COMMAND_LINE_TERMINAL_H_

#include <cstddef>
#include <optional>

namespace ns {

// Returns the number of columns of the terminal that standard output is;
// nullopt where it is none, or does not tell.
std::optional<size_t> TerminalWidth();

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_TERMINAL_H_
