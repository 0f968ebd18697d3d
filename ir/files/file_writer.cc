#include "ir/files/file_writer.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace ns {

absl::Status CannotWrite(int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return absl::InvalidArgumentError(
      absl::StrCat("cannot write: ", std::strerror(error), "; ",
                   full ? "make room, or " : "", "name a file elsewhere"));
}

FileWriter::FileWriter(const std::string& path)
    : file_(std::fopen(path.c_str(), "we")) {
  if (file_ == nullptr) {
    error_ = errno;
  }
}

FileWriter::~FileWriter() {
  if (file_ != nullptr) {
    std::fclose(file_);
  }
}

void FileWriter::Write(const void* bytes, size_t count) {
  size_ += static_cast<int64_t>(count);
  if (error_ == 0 && std::fwrite(bytes, 1, count, file_) != count) {
    error_ = errno;
  }
}

absl::Status FileWriter::Close() {
  if (file_ != nullptr) {
    // fclose writes what is buffered, and frees the file even when that fails.
    const int result = std::fclose(file_);
    file_ = nullptr;
    if (error_ == 0 && result != 0) {
      error_ = errno;
    }
  }
  return error_ == 0 ? absl::OkStatus() : CannotWrite(error_);
}

}  // namespace ns
