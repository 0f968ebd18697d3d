#include "ir/files/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace ns {
namespace {

InputFile::Identity IdentityOf(const struct stat& info) {
  return {info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec,
          info.st_mtim.tv_nsec};
}

absl::Status CannotOpen() {
  return absl::InvalidArgumentError(
      absl::StrCat("cannot open: ", std::strerror(errno)));
}

}  // namespace

bool InputFile::Identity::operator==(const Identity& other) const {
  return device == other.device && inode == other.inode && size == other.size &&
         seconds == other.seconds && nanoseconds == other.nanoseconds;
}

absl::StatusOr<std::shared_ptr<InputFile>> InputFile::Open(
    const std::string& path, absl::string_view saver) {
  // The open does not block: a pipe would wait for somebody to write to it.
  const int descriptor =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // NOLINT
  if (descriptor < 0) {
    return CannotOpen();
  }
  struct stat info = {};
  const bool known = fstat(descriptor, &info) == 0;
  // `file` owns the descriptor from here on.
  std::shared_ptr<InputFile> file(new InputFile(descriptor, IdentityOf(info)));
  if (!known) {
    return CannotOpen();
  }
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("is a folder; name a file that ", saver, " wrote"));
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "is a pipe or a device; name a file that ", saver, " wrote"));
  }
  if (info.st_size == 0) {
    return absl::InvalidArgumentError("is empty");
  }
  return file;
}

InputFile::~InputFile() { close(descriptor_); }

bool InputFile::HasChanged() const {
  struct stat info = {};
  return fstat(descriptor_, &info) != 0 || IdentityOf(info) != identity_;
}

size_t InputFile::ReadAt(uint64_t position, void* buffer, size_t count) const {
  size_t done = 0;
  while (done < count) {
    const ssize_t got =
        pread(descriptor_, static_cast<char*>(buffer) + done, count - done,
              static_cast<off_t>(position + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      break;
    }
    done += got;
  }
  return done;
}

size_t InputFile::size() const { return identity_.size; }

size_t InputFile::read(uint64_t position, void* buffer, size_t count,
                       const char* /*what*/) const {
  return ReadAt(position, buffer, count);
}

}  // namespace ns
