// Files that appear whole or not at all.
#ifndef IR_ATOMIC_FILE_H_
#define IR_ATOMIC_FILE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

// What `path` names once symbolic links are followed, also those to files that
// do not exist yet: a link stays, and what it names is written.
std::string ResolveLinks(absl::string_view path);

// Error: a path of a folder, a device or a pipe, which no file can replace.
absl::Status CheckIsReplaceable(absl::string_view path);

// Removes what the functions below left beside `path` when they were killed.
// Files of processes that still run stay.
void RemoveStaleTemporaries(absl::string_view path);

// Writes a file of the name that it is given.
using FileContentWriter =
    std::function<absl::Status(const std::string& temporary)>;

// Calls `write` with a temporary name in the folder of `path`, then renames
// that file to `path`. When `write` or the renaming fails, its error is
// returned, the temporary file is removed and `path` is as it was. Error: as
// CheckIsReplaceable.
absl::Status WriteFileAtomically(absl::string_view path,
                                 const FileContentWriter& write);

// As above, with the content given.
absl::Status WriteFileAtomically(absl::string_view path,
                                 absl::string_view content);

struct FileToWrite {
  std::string path;
  FileContentWriter write;
};

// As above, of several files: when one fails, all are as they were.
absl::Status WriteFilesAtomically(absl::Span<const FileToWrite> files);

}  // namespace ns

#endif  // IR_ATOMIC_FILE_H_
