#include "tools/command_line/run_tool.h"

#include <torch/csrc/jit/runtime/print_handler.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
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

// Returns `message` without its middle where it is longer than any that people
// read: a damaged file may have names of any length.
std::string Shortened(absl::string_view message) {
  constexpr size_t kMostBytes = 4000;
  if (message.size() <= kMostBytes) {
    return std::string(message);
  }
  const auto is_tail = [&](size_t i) {
    return (static_cast<unsigned char>(message[i]) & 0xC0) == 0x80;
  };
  // No character is cut in two.
  size_t first = kMostBytes / 2;
  size_t last = message.size() - kMostBytes / 2;
  while (first > 0 && is_tail(first)) {
    --first;
  }
  while (last < message.size() && is_tail(last)) {
    ++last;
  }
  return absl::StrCat(message.substr(0, first), " ... ", message.substr(last));
}

// Prints one line, whatever a message contains.
void PrintFailure(absl::string_view tool, absl::string_view message) {
  std::string line = absl::StrCat(tool, ": ", Shortened(message));
  std::replace_if(
      line.begin(), line.end(),
      [](unsigned char c) { return absl::ascii_iscntrl(c); }, ' ');
  std::fprintf(stderr, "%s\n", line.c_str());
}

// Prints what a model prints. Standard output is for reports.
void PrintToStandardError(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

// Ends the process where an op of LibTorch divides integers without a check, as
// for a tensor of integers. Only functions that are safe in a signal's handler
// are called.
void EndWithDivisionError(int /*signal*/) {
  constexpr char kMessage[] =
      "ns: an op divided an integer by 0, or the lowest integer by -1, which "
      "LibTorch does not check; look for such numbers in the model or metric\n";
  (void)!write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  _exit(static_cast<int>(ExitCode::kBadInput));
}

}  // namespace

bool PrepareProcess(absl::string_view tool) {
  OccupyClosedStreams();
  // With SIGXFSZ ignored, a file that outgrows its limit is a failed write, and
  // does not end the process.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGFPE, EndWithDivisionError);
  torch::jit::setPrintHandler(PrintToStandardError);
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
