// Writes files front to back, and reports their first failure when they are
// closed.
#ifndef IR_FILE_WRITER_H_
#define IR_FILE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/status/status.h"

namespace ns {

// Creates a file. Its first failure is kept and returned when it is closed.
// LibTorch's archive writers need that: a write that fails while they work
// makes them throw, and throw once more from their destructors, which ends the
// process. Without Close, the failure is lost. The file stays, in part: write
// to a temporary name (ir/atomic_file.h).
class FileWriter {
 public:
  // Empties the file `path` where it exists.
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Does nothing after a failure.
  void Write(const void* bytes, size_t count);

  // The bytes that were written, or would have been without a failure.
  int64_t size() const { return size_; }

  // Closes the file; to be called once, after the last byte. Error: the first
  // failure, as a phrase that continues "<path>: ".
  absl::Status Close();

 private:
  std::FILE* file_;
  int64_t size_ = 0;
  // The errno of the first failure, 0 as long as there is none.
  int error_ = 0;
};

// The error "cannot write: No space left on device; make room, or name a file
// elsewhere", of `error`, an errno.
absl::Status CannotWrite(int error);

}  // namespace ns

#endif  // IR_FILE_WRITER_H_
