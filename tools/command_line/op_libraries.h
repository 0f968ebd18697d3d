// Shared libraries that register ops, as the flag --load-library names them.
#ifndef TOOLS_COMMAND_LINE_OP_LIBRARIES_H_
#define TOOLS_COMMAND_LINE_OP_LIBRARIES_H_

#include "absl/status/status.h"
#include "tools/command_line/command_line.h"

namespace ns {

// Loads the libraries that --load-library names into this process, for good, as
// torch.ops.load_library does in Python. Error: one that cannot be loaded.
absl::Status LoadOpLibraries(const Flags& flags);

// `status` of a command; where an op that a model calls is in no library here,
// its message ends with the flag.
absl::Status WithLibraryHint(const absl::Status& status);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_OP_LIBRARIES_H_
