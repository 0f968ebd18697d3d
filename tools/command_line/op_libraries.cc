#include "tools/command_line/op_libraries.h"

#include <dlfcn.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ir/torch_errors.h"

namespace ns {

absl::Status LoadOpLibraries(const Flags& flags) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                      flags.List("load-library"));
  for (const std::string& path : paths) {
    // dlopen searches for a name without a slash among the system's libraries.
    const std::string file =
        path.find('/') == std::string::npos ? absl::StrCat("./", path) : path;
    const std::string flag = absl::StrCat("--load-library=", path);
    // Symbols are bound lazily: a library that also registers ops for Python
    // refers to symbols of Python that are not needed here. A library that
    // registers an op twice throws.
    const absl::StatusOr<void*> library = CatchTorchErrors(
        flag, [&] { return dlopen(file.c_str(), RTLD_LAZY | RTLD_GLOBAL); });
    NS_RETURN_IF_ERROR(library.status());
    if (*library == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(flag, ": ", dlerror()));
    }
  }
  return absl::OkStatus();
}

absl::Status WithLibraryHint(const absl::Status& status) {
  if (!absl::StrContains(status.message(), "Unknown builtin op")) {
    return status;
  }
  return absl::Status(
      status.code(),
      absl::StrCat(
          status.message(),
          " Name the library that registers it with --load-library=PATH"));
}

}  // namespace ns
