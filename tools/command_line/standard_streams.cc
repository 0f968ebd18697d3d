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

absl::Status WriteToStandardOutput(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return FlushStandardOutput();
}

absl::Status FlushStandardOutput() {
  errno = 0;
  // A long text is written before it is flushed, and only the mark on the
  // stream tells that this failed.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return absl::OkStatus();
  }
  const std::string why =
      errno == 0 ? "" : absl::StrCat(": ", std::strerror(errno));
  return absl::InvalidArgumentError(
      absl::StrCat("cannot write standard output", why,
                   "; send it to a file or a pipe that takes it"));
}

}  // namespace ns
