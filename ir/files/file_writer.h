// Writes files front to back, and reports their first failure when they are
// closed.
#ifndef IR_FILES_FILE_WRITER_H_
#define IR_FILES_FILE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/status/status.h"

namespace ns {

// Creates a file. A failure, be it of opening or of writing, is not reported at
// once: the first one is kept, and Close returns it. LibTorch's archive writers
// need that: when a write fails, they throw, and throw once more from their
// destructors, which ends the process. Without a call of Close, the failure is
// lost. After a failure, the part of the file that was written stays: write to
// a temporary name (ir/files/atomic_file.h).
class FileWriter {
 public:
  // Empties the file `path` where it exists.
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Does nothing after a failure. Not to be called after Close.
  void Write(const void* bytes, size_t count);

  // The bytes that were written, or would have been without a failure.
  int64_t size() const { return size_; }

  // Closes the file. Call it once, after the last byte. Error: the first
  // failure (CannotWrite), as a phrase that continues "<path>: ".
  absl::Status Close();

 private:
  std::FILE* file_;
  int64_t size_ = 0;
  // The errno of the first failure, 0 as long as there is none.
  int error_ = 0;
};

// Returns the error for `error`, an errno: "cannot write: No space left on
// device; make room, or name a file elsewhere".
absl::Status CannotWrite(int error);

}  // namespace ns

#endif  // IR_FILES_FILE_WRITER_H_
