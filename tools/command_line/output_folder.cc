#include "tools/command_line/output_folder.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

absl::Status CannotUse(const std::string& folder, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("--out=", folder, ": ", why));
}

}  // namespace

absl::StatusOr<bool> MakeOutputFolder(const std::string& folder) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(folder, error);
  std::error_code unknown;
  if (!std::filesystem::is_directory(folder, unknown)) {
    return CannotUse(
        folder, absl::StrCat("cannot make the folder: ",
                             error ? error.message() : "a file has this name"));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return CannotUse(folder, "cannot write into the folder");
  }
  return is_new;
}

}  // namespace ns
