#include "ir/atomic_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "ir/status.h"

namespace ns {
namespace {

absl::Status CannotWrite(absl::string_view path, int error) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": cannot write: ", std::strerror(error)));
}

}  // namespace

absl::Status CheckIsReplaceable(absl::string_view path) {
  std::error_code ignored;
  const std::filesystem::file_status status =
      std::filesystem::status(std::string(path), ignored);
  const char* kind = std::filesystem::is_directory(status) ? "a folder"
                     : std::filesystem::is_other(status) ? "a device or a pipe"
                                                         : nullptr;
  return kind == nullptr ? absl::OkStatus()
                         : absl::InvalidArgumentError(
                               absl::StrCat(path, ": cannot write: is ", kind));
}

absl::Status WriteFileAtomically(
    absl::string_view path,
    const std::function<absl::Status(const std::string& temporary)>& write) {
  NS_RETURN_IF_ERROR(CheckIsReplaceable(path));
  const std::string target(path);
  const std::string temporary = absl::StrCat(path, ".", getpid(), ".tmp");
  // A folder that cannot be written to is found out before the work is done.
  if (!std::ofstream(temporary)) {
    return CannotWrite(path, errno);
  }
  absl::Status status = write(temporary);
  if (status.ok() && std::rename(temporary.c_str(), target.c_str()) != 0) {
    status = CannotWrite(path, errno);
  }
  if (!status.ok()) {
    std::remove(temporary.c_str());
  }
  return status;
}

absl::Status WriteFileAtomically(absl::string_view path,
                                 absl::string_view content) {
  return WriteFileAtomically(path, [&](const std::string& temporary) {
    std::ofstream file(temporary, std::ios::binary);
    file << content;
    file.close();
    return file ? absl::OkStatus() : CannotWrite(path, errno);
  });
}

}  // namespace ns
