// Declares the commands of `ns` and their exit codes.
#ifndef TOOLS_COMMANDS_COMMANDS_H_
#define TOOLS_COMMANDS_COMMANDS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tools/command_line/command_line.h"

namespace ns {

// Says how a process ends. Scripts rely on the numbers.
enum class ExitCode {
  kDone = 0,
  kLimitCrossed = 1,
  kWrongUsage = 2,
  kBadInput = 3,
  kInternal = 4,
};

// How a command ended. `status` is the line to print unless the code is kDone.
struct CommandOutcome {
  ExitCode code = ExitCode::kDone;
  absl::Status status;

  static CommandOutcome Done(absl::Status status) {
    return status.ok() ? CommandOutcome() : Failed(std::move(status));
  }
  static CommandOutcome WrongUsage(absl::Status status) {
    return {ExitCode::kWrongUsage, std::move(status)};
  }
  // Returns kLimitCrossed with `line`, or kDone where that is empty.
  static CommandOutcome LimitCrossed(const std::string& line) {
    return line.empty() ? CommandOutcome()
                        : CommandOutcome{ExitCode::kLimitCrossed,
                                         absl::OutOfRangeError(line)};
  }
  // Returns kBadInput, or kInternal for an error of this program.
  static CommandOutcome Failed(absl::Status status) {
    return {status.code() == absl::StatusCode::kInternal ? ExitCode::kInternal
                                                         : ExitCode::kBadInput,
            std::move(status)};
  }
};

struct Command {
  const CommandSpec* spec;
  CommandOutcome (*run)(const Flags& flags);
};

// The commands, in the order in which help lists them.
Command CompareCommand();
Command MatchCommand();
Command InstrumentCommand();
Command SensitivityCommand();
Command QuantizeCommand();
Command SearchCommand();
Command ReportCommand();
Command ExportCommand();
Command ReproCommand();
Command FuseCommand();
Command LowerCommand();
Command DiffCommand();
Command MergeCommand();
Command ExplainCommand();
Command InspectCommand();
Command CheckEngineCommand();

}  // namespace ns

#endif  // TOOLS_COMMANDS_COMMANDS_H_
