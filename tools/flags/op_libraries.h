// Loads shared libraries that register ops, which the flag --load-library
// names.
#ifndef TOOLS_FLAGS_OP_LIBRARIES_H_
#define TOOLS_FLAGS_OP_LIBRARIES_H_

#include "absl/status/status.h"
#include "tools/command_line/command_line.h"

namespace ns {

// Loads the libraries that --load-library names into this process, for good, as
// torch.ops.load_library does in Python. Error: a library that cannot be
// loaded.
absl::Status LoadOpLibraries(const Flags& flags);

// Returns the `status` of a command. Where a model calls an op that no library
// here has, its message ends with a hint at the flag.
absl::Status WithLibraryHint(const absl::Status& status);

}  // namespace ns

#endif  // TOOLS_FLAGS_OP_LIBRARIES_H_
