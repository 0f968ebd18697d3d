// Reads a file of text, such as JSON, as a whole.
#ifndef IR_FILES_READ_TEXT_FILE_H_
#define IR_FILES_READ_TEXT_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// What a text file is expected to be, for limits and messages.
struct TextFileKind {
  // "qconfig mapping".
  absl::string_view name;
  // What writes such files: "--emit-qconfig".
  absl::string_view writer;
  // Larger files are refused before they are read.
  size_t most_bytes;
};

// Returns the bytes of the file at `path`. Error, which names the path: the
// file cannot be opened or read to its end; it is a folder, a pipe or empty; it
// is larger than such files are.
absl::StatusOr<std::string> ReadTextFile(const std::string& path,
                                         const TextFileKind& kind);

}  // namespace ns

#endif  // IR_FILES_READ_TEXT_FILE_H_
