#include "tools/commands/run_tool.h"

#include <torch/csrc/jit/runtime/print_handler.h>
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
#include "ir/base/checked_dtypes.h"
#include "ir/base/torch_errors.h"
#include "passes/runtime/onednn_faults.h"
#include "tools/command_line/short_lines.h"
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
  std::fprintf(stderr, "%s\n", ShortLines(line).c_str());
}

// Prints what a model prints. Standard output is for reports.
void PrintToStandardError(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

// What EndWithDivisionError prints; PrepareProcess makes it.
const std::string* division_error = nullptr;

// Ends the process where an op of LibTorch divides integers without a check, as
// for a tensor of integers. Only functions that are safe in a signal handler
// are called.
void EndWithDivisionError(int /*signal*/) {
  (void)!write(STDERR_FILENO, division_error->data(), division_error->size());
  _exit(static_cast<int>(ExitCode::kBadInput));
}

}  // namespace

bool PrepareProcess(absl::string_view tool) {
  OccupyClosedStreams();
  // With SIGXFSZ ignored, a file that outgrows its limit is a failed write, and
  // does not end the process.
  std::signal(SIGXFSZ, SIG_IGN);
  division_error = new std::string(absl::StrCat(
      tool,
      ": an op divided an integer by 0, or the lowest integer by -1, which "
      "LibTorch does not check; look for such numbers in the model or "
      "metric\n"));
  std::signal(SIGFPE, EndWithDivisionError);
  torch::jit::setPrintHandler(PrintToStandardError);
  AvoidOneDnnFaults();
  CheckDtypes();
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
