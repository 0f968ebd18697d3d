// Files that are written front to back.
#ifndef IR_FILE_WRITER_H_
#define IR_FILE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/status/status.h"

namespace ns {

// A new file, whose first failure is kept and told when it is closed.
// LibTorch's archive writers need that: a write that fails before their eyes
// makes them throw, and throw once more from their destructors, which ends the
// process.
class FileWriter {
 public:
  // Empties `path` where it exists.
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Does nothing after a failure.
  void Write(const void* bytes, size_t count);

  // Bytes that were written, or would have been.
  int64_t size() const { return size_; }

  // To be called once, after the last byte. Error: the first failure, as a
  // phrase that goes on after "<path>: ".
  absl::Status Close();

 private:
  std::FILE* file_;
  int64_t size_ = 0;
  // An errno, 0 as long as all is well.
  int error_ = 0;
};

// "cannot write: ", what `error`, an errno, means, and the way out.
absl::Status CannotWrite(int error);

}  // namespace ns

#endif  // IR_FILE_WRITER_H_
