#include "tools/commands/run_ns.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tools/commands/commands.h"
#include "tools/commands/run_tool.h"
#include "tools/flags/op_libraries.h"

namespace ns {
namespace {

constexpr char kVersion[] = "0.1.0";

std::vector<Command> Commands() {
  return {CompareCommand(),     MatchCommand(),    InstrumentCommand(),
          SensitivityCommand(), QuantizeCommand(), SearchCommand(),
          ReportCommand(),      ExportCommand(),   ReproCommand(),
          FuseCommand(),        LowerCommand(),    DiffCommand(),
          ExplainCommand()};
}

// Returns "use compare, match, ... or help".
std::string UseOneOf() {
  std::vector<absl::string_view> names;
  for (const Command& command : Commands()) {
    names.push_back(command.spec->name);
  }
  return absl::StrCat("use ", absl::StrJoin(names, ", "), " or help");
}

std::string GeneralHelp() {
  std::string text =
      "usage: ns COMMAND [--flag=value ...]\n\n"
      "Makes quantized TorchScript models, and shows where and why one differs "
      "from the\nfloat model it was made from.\n\ncommands:\n";
  for (const Command& command : Commands()) {
    absl::StrAppend(&text, "  ", command.spec->name,
                    std::string(12 - command.spec->name.size(), ' '),
                    command.spec->summary, "\n");
  }
  absl::StrAppend(&text,
                  "  help        this text, or with a command its flags\n\n"
                  "example:\n  ",
                  CompareCommand().spec->example, "\n");
  return text;
}

const Command* FindCommand(const std::vector<Command>& commands,
                           const std::string& name) {
  const auto it = absl::c_find_if(commands, [&](const Command& command) {
    return command.spec->name == name;
  });
  return it == commands.end() ? nullptr : &*it;
}

CommandOutcome UnknownCommand(const std::string& name) {
  return CommandOutcome::WrongUsage(absl::InvalidArgumentError(
      absl::StrCat("unknown command '", name, "'; ", UseOneOf())));
}

CommandOutcome Help(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::fputs(GeneralHelp().c_str(), stdout);
    return {};
  }
  const std::vector<Command> commands = Commands();
  const Command* command = FindCommand(commands, arguments[0]);
  if (command == nullptr) {
    return UnknownCommand(arguments[0]);
  }
  std::fputs(HelpText(*command->spec).c_str(), stdout);
  return {};
}

CommandOutcome Run(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    return CommandOutcome::WrongUsage(
        absl::InvalidArgumentError(absl::StrCat("no command; ", UseOneOf())));
  }
  const std::string name = arguments[0];
  arguments.erase(arguments.begin());
  if (name == "help" || name == "--help" || name == "-h") {
    return Help(arguments);
  }
  if (name == "--version" || name == "version") {
    std::printf("ns %s\n", kVersion);
    return {};
  }
  const std::vector<Command> commands = Commands();
  const Command* command = FindCommand(commands, name);
  if (command == nullptr) {
    return UnknownCommand(name);
  }
  if (absl::c_linear_search(arguments, "--help") ||
      absl::c_linear_search(arguments, "-h")) {
    return Help({name});
  }
  absl::StatusOr<Flags> flags = Flags::Parse(arguments, *command->spec);
  if (!flags.ok()) {
    return CommandOutcome::WrongUsage(flags.status());
  }
  const absl::Status libraries = LoadOpLibraries(*flags);
  if (!libraries.ok()) {
    return CommandOutcome::Failed(libraries);
  }
  CommandOutcome outcome = command->run(*flags);
  outcome.status = WithLibraryHint(outcome.status);
  return outcome;
}

}  // namespace

int RunNs(const std::vector<std::string>& arguments) {
  return RunTool("ns", [&] { return Run(arguments); });
}

}  // namespace ns
