// Writes files that appear completely or not at all.
#ifndef IR_FILES_ATOMIC_FILE_H_
#define IR_FILES_ATOMIC_FILE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

// Returns the file that `path` names: where `path` is a symbolic link, the file
// that the link leads to, even if there is no such file yet. The functions
// below write that file, and the link stays.
std::string ResolveLinks(absl::string_view path);

// Error: `path` is a folder, a device or a pipe, which no file can replace.
absl::Status CheckIsReplaceable(absl::string_view path);

// Removes the temporary files that the functions below left beside `path` when
// their process was killed. Files of processes that still run stay.
void RemoveStaleTemporaries(absl::string_view path);

// Writes the file whose name it is given.
using FileContentWriter =
    std::function<absl::Status(const std::string& temporary)>;

// Calls `write` with a temporary name in the folder of `path`, then renames
// that file to `path`. The new file does not keep the permissions of the one it
// replaces. When `write` or the renaming fails, its error is returned, the
// temporary file is removed and `path` is as it was. Error: also those of
// CheckIsReplaceable.
absl::Status WriteFileAtomically(absl::string_view path,
                                 const FileContentWriter& write);

// Writes `content` to `path` in the same way.
absl::Status WriteFileAtomically(absl::string_view path,
                                 absl::string_view content);

struct FileToWrite {
  std::string path;
  FileContentWriter write;
};

// Writes several files in the same way: when one of them fails, all are as they
// were. A file system without hard links cannot promise that: if a renaming
// fails there, files that were replaced before it stay replaced.
absl::Status WriteFilesAtomically(absl::Span<const FileToWrite> files);

}  // namespace ns

#endif  // IR_FILES_ATOMIC_FILE_H_
