// Writes scripts with which shells complete commands, flags and files.
#ifndef TOOLS_COMMAND_LINE_COMPLETION_H_
#define TOOLS_COMMAND_LINE_COMPLETION_H_

#include <string>

#include "absl/types/span.h"
#include "tools/command_line/command_line.h"

namespace ns {

// Returns a script that makes bash complete `ns`: its commands, the flags of
// each, and elsewhere names of files. To be read by
// `source <(ns completion bash)`.
std::string BashCompletion(absl::Span<const CommandSpec* const> commands);

// Likewise for zsh, which shows the help of each flag, too. To be read by
// `source <(ns completion zsh)`, or saved as _ns in a folder of $fpath.
std::string ZshCompletion(absl::Span<const CommandSpec* const> commands);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_COMPLETION_H_
