// Standard output that tells when it could not be written.
#ifndef TOOLS_COMMAND_LINE_STANDARD_STREAMS_H_
#define TOOLS_COMMAND_LINE_STANDARD_STREAMS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// To be called first in a program. Takes the places of those standard streams
// that the caller closed, so that no file which is opened later gets one of
// them, and with it what is printed. Reading and writing them still fails.
void OccupyClosedStreams();

// Prints `text`. Error: as FlushStandardOutput.
absl::Status WriteToStandardOutput(absl::string_view text);

// Error: some of what was printed since the start could not be written.
absl::Status FlushStandardOutput();

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_STANDARD_STREAMS_H_
