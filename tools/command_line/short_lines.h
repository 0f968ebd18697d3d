// Keeps what is printed for people short enough to be read.
#ifndef TOOLS_COMMAND_LINE_SHORT_LINES_H_
#define TOOLS_COMMAND_LINE_SHORT_LINES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace ns {

// Returns `text` with " ... " in place of the middle of each line that is
// longer than any that people read: models, damaged ones above all, may have
// names of any length. Lines keep at least 4000 bytes, and no character is cut
// in two.
std::string ShortLines(absl::string_view text);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_SHORT_LINES_H_
