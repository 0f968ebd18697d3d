#include "tools/command_line/run_tool.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "ir/torch_errors.h"
#include "passes/runtime/onednn_faults.h"
#include "tools/command_line/standard_streams.h"
#include "tools/command_line/torch_warnings.h"

namespace ns {
namespace {

// Prints one line, whatever a message contains.
void PrintFailure(absl::string_view tool, absl::string_view message) {
  std::string line = absl::StrCat(tool, ": ", message);
  std::replace_if(
      line.begin(), line.end(),
      [](unsigned char c) { return absl::ascii_iscntrl(c); }, ' ');
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

bool PrepareProcess(absl::string_view tool) {
  OccupyClosedStreams();
  // With SIGXFSZ ignored, a file that outgrows its limit is a failed write, and
  // does not end the process.
  std::signal(SIGXFSZ, SIG_IGN);
  AvoidOneDnnFaults();
  PrintTorchWarningsOnce();
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && chdir(folder) != 0) {
    PrintFailure(tool, absl::StrCat("BUILD_WORKING_DIRECTORY=", folder, ": ",
                                    std::strerror(errno)));
    return false;
  }
  return true;
}

int RunTool(absl::string_view tool,
            const std::function<CommandOutcome()>& run) {
  CommandOutcome outcome;
  try {
    outcome = run();
  } catch (const std::exception& error) {
    outcome = {ExitCode::kInternal, absl::InternalError(OneLineMessage(error))};
  }
  if (outcome.code == ExitCode::kDone ||
      outcome.code == ExitCode::kLimitCrossed) {
    const absl::Status printed = FlushStandardOutput();
    if (!printed.ok()) {
      outcome = CommandOutcome::Failed(printed);
    }
  }
  if (outcome.code != ExitCode::kDone) {
    PrintFailure(tool, outcome.status.message());
  }
  return static_cast<int>(outcome.code);
}

}  // namespace ns
