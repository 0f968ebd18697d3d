#include "tools/command_line/run_command.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/command_line/help_text.h"

namespace ns {

int RunCommand(const CommandSpec& spec, int argc, char** argv,
               absl::FunctionRef<absl::Status(const Flags& flags)> command) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "--help") {
    std::fputs(HelpText(spec, HelpWidth()).c_str(), stdout);
    return 0;
  }
  const absl::StatusOr<Flags> flags = Flags::Parse(arguments, spec);
  const absl::Status status = flags.ok() ? command(*flags) : flags.status();
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", std::string(spec.name).c_str(),
                 std::string(status.message()).c_str());
  }
  return status.ok() ? 0 : flags.ok() ? 1 : 2;
}

}  // namespace ns
