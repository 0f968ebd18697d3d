// Writes to standard output and reports when that failed.
#ifndef TOOLS_COMMAND_LINE_STANDARD_STREAMS_H_
#define TOOLS_COMMAND_LINE_STANDARD_STREAMS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// Takes the places of the standard streams that the caller closed, so that no
// file which is opened later gets one of them, and with it what is printed.
// Reading and writing these streams still fails. To be called first in a
// program.
void OccupyClosedStreams();

// Prints `text`. Error: as FlushStandardOutput.
absl::Status WriteToStandardOutput(absl::string_view text);

// Flushes standard output. Error: some of what was printed since the start
// could not be written.
absl::Status FlushStandardOutput();

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_STANDARD_STREAMS_H_
