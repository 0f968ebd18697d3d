// Files that appear whole or not at all.
#ifndef IR_ATOMIC_FILE_H_
#define IR_ATOMIC_FILE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// Error: a path of a folder, a device or a pipe, which no file can replace.
absl::Status CheckIsReplaceable(absl::string_view path);

// Calls `write` with a temporary name in the folder of `path`, then renames
// that file to `path`. When `write` or the renaming fails, its error is
// returned, the temporary file is removed and `path` is as it was. Error: as
// CheckIsReplaceable.
absl::Status WriteFileAtomically(
    absl::string_view path,
    const std::function<absl::Status(const std::string& temporary)>& write);

// As above, with the content given.
absl::Status WriteFileAtomically(absl::string_view path,
                                 absl::string_view content);

}  // namespace ns

#endif  // IR_ATOMIC_FILE_H_
