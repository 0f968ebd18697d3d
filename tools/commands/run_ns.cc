#include "tools/commands/run_ns.h"

#include <torch/version.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/base/nearest_name.h"
#include "ns/compare/engines.h"
#include "passes/kernels/isa.h"
#include "tools/command_line/completion.h"
#include "tools/command_line/help_text.h"
#include "tools/command_line/man_page.h"
#include "tools/command_line/version.h"
#include "tools/commands/commands.h"
#include "tools/commands/run_tool.h"
#include "tools/flags/op_libraries.h"

namespace ns {
namespace {

std::vector<Command> Commands() {
  return {CompareCommand(),     MatchCommand(),    InstrumentCommand(),
          SensitivityCommand(), QuantizeCommand(), SearchCommand(),
          ReportCommand(),      ExportCommand(),   ReproCommand(),
          FuseCommand(),        LowerCommand(),    DiffCommand(),
          MergeCommand(),       ExplainCommand(),  InspectCommand(),
          CheckEngineCommand()};
}

std::vector<absl::string_view> CommandNames() {
  std::vector<absl::string_view> names;
  for (const Command& command : Commands()) {
    names.push_back(command.spec->name);
  }
  return names;
}

// Returns "use compare, match, ... or help".
std::string UseOneOf() {
  return absl::StrCat("use ", absl::StrJoin(CommandNames(), ", "), " or help");
}

constexpr char kShortUsage[] =
    "usage: ns COMMAND [FILES] [--flag=value ...]\n"
    "  ns compare FLOAT QUANTIZED [INPUTS]  where and why the models differ\n"
    "  ns quantize FLOAT INPUTS -o OUT      make a quantized model\n"
    "  ns help [COMMAND]                    all commands; the flags of one\n";

std::string GeneralHelp() {
  std::string text =
      "usage: ns COMMAND [FILES] [--flag=value ...]\n\n"
      "Makes quantized TorchScript models, and shows where and why one differs "
      "from the\nfloat model it was made from.\n\ncommands:\n";
  for (const Command& command : Commands()) {
    absl::StrAppend(&text, "  ", command.spec->name,
                    std::string(12 - command.spec->name.size(), ' '),
                    command.spec->summary, "\n");
  }
  absl::StrAppend(
      &text,
      "  completion  prints a script that completes ns in bash or zsh: source "
      "<(ns completion bash)\n"
      "  help        this text, or with a command its flags; with --man a page "
      "for man -l -\n\n"
      "example:\n  ",
      ExampleLine(*CompareCommand().spec), "\n");
  return text;
}

// Returns what computes here, as results differ between LibTorch's releases,
// engines and, in speed, instruction sets.
std::string Version() {
  return absl::StrCat("ns ", kVersion, "\nLibTorch ", TORCH_VERSION,
                      ", engines: ", absl::StrJoin(AvailableEngines(), ", "),
                      "\nns kernels: ", kernels::IsaName(kernels::ChosenIsa()),
                      "\n");
}

const Command* FindCommand(const std::vector<Command>& commands,
                           const std::string& name) {
  const auto it = absl::c_find_if(commands, [&](const Command& command) {
    return command.spec->name == name;
  });
  return it == commands.end() ? nullptr : &*it;
}

CommandOutcome UnknownCommand(const std::string& name) {
  const absl::string_view nearest = NearestName(name, CommandNames());
  return CommandOutcome::WrongUsage(absl::InvalidArgumentError(absl::StrCat(
      "unknown command '", name, "'; ",
      nearest.empty() ? UseOneOf()
                      : absl::StrCat("did you mean ", nearest,
                                     "? ns help lists all commands"))));
}

CommandOutcome Help(std::vector<std::string> arguments) {
  const auto man = absl::c_find(arguments, "--man");
  const bool is_man = man != arguments.end();
  if (is_man) {
    arguments.erase(man);
  }
  if (arguments.empty()) {
    std::fputs(GeneralHelp().c_str(), stdout);
    return {};
  }
  const std::vector<Command> commands = Commands();
  const Command* command = FindCommand(commands, arguments[0]);
  if (command == nullptr) {
    return UnknownCommand(arguments[0]);
  }
  const std::string text = is_man ? ManPage(*command->spec, kVersion)
                                  : HelpText(*command->spec, HelpWidth());
  std::fputs(text.c_str(), stdout);
  return {};
}

CommandOutcome Complete(const std::vector<std::string>& arguments) {
  const std::string shell = arguments.empty() ? "" : arguments[0];
  if (arguments.size() != 1 || (shell != "bash" && shell != "zsh")) {
    return CommandOutcome::WrongUsage(absl::InvalidArgumentError(
        "completion takes the name of a shell: ns completion bash, or zsh"));
  }
  const std::vector<Command> commands = Commands();
  std::vector<const CommandSpec*> specs;
  for (const Command& command : commands) {
    specs.push_back(command.spec);
  }
  const std::string script =
      shell == "bash" ? BashCompletion(specs) : ZshCompletion(specs);
  std::fputs(script.c_str(), stdout);
  return {};
}

CommandOutcome Run(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    std::fputs(kShortUsage, stderr);
    return CommandOutcome::WrongUsage(
        absl::InvalidArgumentError(absl::StrCat("no command; ", UseOneOf())));
  }
  const std::string name = arguments[0];
  arguments.erase(arguments.begin());
  if (name == "help" || name == "--help" || name == "-h") {
    return Help(arguments);
  }
  if (name == "--version" || name == "version") {
    std::fputs(Version().c_str(), stdout);
    return {};
  }
  if (name == "completion") {
    return Complete(arguments);
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
