// Reads a file of text as a whole.
#ifndef TOOLS_COMMAND_LINE_READ_TEXT_H_
#define TOOLS_COMMAND_LINE_READ_TEXT_H_

#include <string>

#include "absl/status/statusor.h"

namespace ns {

// Returns the content of `path`. Error, with the path in front: a file that
// cannot be read, or is empty.
absl::StatusOr<std::string> ReadText(const std::string& path);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_READ_TEXT_H_
