// The command-line tool: ns COMMAND [--flag=value ...].

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "passes/runtime/onednn_isa.h"
#include "tools/command_line/commands.h"
#include "tools/command_line/run_ns.h"
#include "tools/command_line/standard_streams.h"
#include "tools/command_line/torch_warnings.h"

namespace ns {
namespace {

int Main(int argc, char** argv) {
  OccupyClosedStreams();
  // A file that outgrows its limit is a failed write, and no end by a signal.
  std::signal(SIGXFSZ, SIG_IGN);
  AvoidFaultyOneDnnKernels();
  PrintTorchWarningsOnce();
  // Under `bazel run` relative paths are the caller's.
  if (const char* folder = std::getenv("BUILD_WORKING_DIRECTORY")) {
    if (chdir(folder) != 0) {
      std::fprintf(stderr, "ns: BUILD_WORKING_DIRECTORY=%s: %s\n", folder,
                   std::strerror(errno));
      return static_cast<int>(ExitCode::kBadInput);
    }
  }
  return RunNs(std::vector<std::string>(argv + 1, argv + argc));
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) { return ns::Main(argc, argv); }
