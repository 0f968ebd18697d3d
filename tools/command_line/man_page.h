// Words the manual page of a command from its table of flags.
#ifndef TOOLS_COMMAND_LINE_MAN_PAGE_H_
#define TOOLS_COMMAND_LINE_MAN_PAGE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tools/command_line/command_line.h"

namespace ns {

// Returns the page "ns-<name>(1)" in the man macros of roff, for `man -l`.
std::string ManPage(const CommandSpec& command, absl::string_view version);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_MAN_PAGE_H_
