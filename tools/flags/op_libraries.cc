#include "tools/flags/op_libraries.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

// Loads a library. glibc declares that dlopen throws nothing, so that the
// compiler would leave out what catches the exceptions of initializers.
void* Load(const std::string& file) {
  void* (*volatile load)(const char*, int) = dlopen;
  // Symbols are bound lazily: a library that also registers ops for Python
  // refers to symbols of Python that are not needed here.
  return load(file.c_str(), RTLD_LAZY | RTLD_GLOBAL);
}

// Where a child process writes what is thrown in it.
int failure_stream = -1;

void WriteFailure(absl::string_view message) {
  // What cannot be written is reported as a library that fails without a word.
  (void)!write(failure_stream, message.data(), message.size());
}

// Ends the child with the message of the exception that is being handled, or
// that nothing caught.
[[noreturn]] void EndWithFailure() {
  try {
    if (const std::exception_ptr error = std::current_exception()) {
      std::rethrow_exception(error);
    }
  } catch (const std::exception& error) {
    WriteFailure(OneLineMessage(error));
  } catch (...) {
    WriteFailure("an exception of an unknown type");
  }
  _exit(EXIT_FAILURE);
}

[[noreturn]] void LoadInChild(const std::string& file) {
  // The library is loaded twice, and what it prints is wanted once.
  const int null = open("/dev/null", O_WRONLY);  // NOLINT
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  std::set_terminate(EndWithFailure);
  try {
    Load(file);
  } catch (...) {
    EndWithFailure();
  }
  _exit(EXIT_SUCCESS);
}

std::string ReadAll(int stream) {
  std::string text;
  std::array<char, 1024> block;
  while (true) {
    const ssize_t count = read(stream, block.data(), block.size());
    if (count > 0) {
      text.append(block.data(), count);
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

// Loads a library in a child process, and returns why that ends the child; ""
// where it does not, or where there can be no child. A library that registers
// what is registered already would end this process as well.
std::string FailureToLoad(const std::string& file) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return "";
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    failure_stream = ends[1];
    LoadInChild(file);
  }
  close(ends[1]);
  std::string failure = child > 0 ? ReadAll(ends[0]) : "";
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (failure.empty() && WIFSIGNALED(status)) {
    return absl::StrCat("it ends the process with signal ", WTERMSIG(status));
  }
  return failure;
}

// Whether a library failed because it registers the ops of this program, as
// libns_ops.so does: they are here already.
bool HasOpsOfNs(absl::string_view failure) {
  return absl::StrContains(failure, "regist") &&
         (absl::StrContains(failure, ".classes.ns.") ||
          absl::StrContains(failure, "(ns::"));
}

}  // namespace

absl::Status LoadOpLibraries(const Flags& flags) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                      flags.List("load-library"));
  for (const std::string& path : paths) {
    // dlopen searches for a name without a slash among the system's libraries.
    const std::string file =
        path.find('/') == std::string::npos ? absl::StrCat("./", path) : path;
    const std::string flag = absl::StrCat("--load-library=", path);
    const std::string failure = FailureToLoad(file);
    if (HasOpsOfNs(failure)) {
      continue;
    }
    if (!failure.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(flag, ": cannot load: ", failure));
    }
    const absl::StatusOr<void*> library =
        CatchTorchErrors(flag, [&] { return Load(file); });
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
