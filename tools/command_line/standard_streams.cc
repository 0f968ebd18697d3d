#include "tools/command_line/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace ns {

void OccupyClosedStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) == 0 || errno != EBADF) {
      continue;
    }
    // open() returns the lowest free number, which is this one. The file is
    // opened in the wrong direction, so that using it fails as on a closed
    // stream.
    const int flags = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", flags) != stream) {  // NOLINT
      return;
    }
  }
}

namespace {

// `errno` was 0 before the text was written: a long one is written before it is
// flushed, and only the mark on the stream tells that this failed.
absl::Status Flushed() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return absl::OkStatus();
  }
  const std::string why =
      errno == 0 ? "" : absl::StrCat(": ", std::strerror(errno));
  return absl::InvalidArgumentError(
      absl::StrCat("cannot write standard output", why,
                   "; send it to a file or a pipe that takes it"));
}

}  // namespace

absl::Status WriteToStandardOutput(absl::string_view text) {
  errno = 0;
  std::fwrite(text.data(), 1, text.size(), stdout);
  return Flushed();
}

absl::Status FlushStandardOutput() {
  errno = 0;
  return Flushed();
}

}  // namespace ns
