// Shared libraries that register ops, as the flag --load-library names them.
#ifndef TOOLS_OP_LIBRARIES_H_
#define TOOLS_OP_LIBRARIES_H_

#include "absl/status/status.h"
#include "tools/command_line.h"

namespace ns {

// Loads the libraries that --load-library names into this process, for good, as
// torch.ops.load_library does in Python. Error: one that cannot be loaded.
absl::Status LoadOpLibraries(const Flags& flags);

}  // namespace ns

#endif  // TOOLS_OP_LIBRARIES_H_
