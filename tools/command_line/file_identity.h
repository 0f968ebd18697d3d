// Describes the contents of a file, to notice that they have changed.
#ifndef TOOLS_COMMAND_LINE_FILE_IDENTITY_H_
#define TOOLS_COMMAND_LINE_FILE_IDENTITY_H_

#include <string>

#include "absl/status/statusor.h"

namespace ns {

// Returns "<path> (1234 bytes, 5e884898)": the size of the file and a checksum
// of its bytes. That of an archive of torch.save or torch.jit.save is of the
// checksums of its records, which its directory has: the records are not read.
// Error: a file that cannot be read.
absl::StatusOr<std::string> FileIdentity(const std::string& path);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_FILE_IDENTITY_H_
