#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ns/compare/engines.h"
#include "ns/engine_check/check_engine.h"
#include "ns/engine_check/engine_report.h"
#include "tools/command_line/progress_bar.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"engine", "NAME",
     "of those that ns --version lists, or ns for the kernels of ns lower; "
     "default: the first"},
    {"quick", "",
     "only the calls that have found faults of releases, and 3 runs of each "
     "instead of 20"},
    {"json", "PATH", "write what was found as JSON; - is standard output"},
    {"quiet", "", "no table"},
};

constexpr CommandSpec kSpec = {
    "check-engine",
    "quantized ops that this LibTorch computes wrongly here",
    "ns check-engine [--flag=value ...]",
    "Calls each quantized op with many shapes, strides, groups and memory "
    "formats, on one\n"
    "thread and on all, and holds the outputs against float. Prints the ops "
    "that are more\n"
    "than one step off, differ between equal calls, write behind their output "
    "or crash, and\n"
    "a Python program that shows each. It runs without the settings that the "
    "other\n"
    "commands make to avoid faults, and then says which faults these avoid. "
    "Exit status:\n"
    "1 if there is a fault.\n",
    kFlags,
    "ns check-engine --quick",
};

struct Options {
  EngineCheckOptions check;
  ReportOutputs outputs;
};

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  std::vector<std::string> engines = AvailableEngines();
  engines.emplace_back("ns");
  options.check.engine = flags.Get("engine", engines[0]);
  if (!absl::c_linear_search(engines, options.check.engine)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--engine=", options.check.engine, ": this LibTorch has no such ",
        "engine; use ", absl::StrJoin(engines, ", ")));
  }
  options.check.quick = flags.Has("quick");
  NS_ASSIGN_OR_RETURN(options.outputs, ParseReportOutputs(flags));
  return options;
}

absl::StatusOr<EngineCheck> Check(Options& options) {
  NS_RETURN_IF_ERROR(PrepareOutputs({options.outputs.json_path}));
  ProgressBar bar(options.outputs.quiet);
  options.check.progress = [&](int64_t done, int64_t total) {
    bar.Update(done, total);
  };
  return CheckEngine(options.check);
}

CommandOutcome Run(const Flags& flags) {
  absl::StatusOr<Options> options = ParseOptions(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  const absl::StatusOr<EngineCheck> check = Check(*options);
  if (!check.ok()) {
    return CommandOutcome::Failed(check.status());
  }
  ReportTexts texts;
  texts.json = [&] { return EngineJson(*check); };
  texts.table = [&](const TableOptions& table) {
    return EngineTable(*check, table);
  };
  const absl::Status written = WriteTexts(options->outputs, texts);
  if (!written.ok() || check->faults.empty()) {
    return CommandOutcome::Done(written);
  }
  std::vector<std::string> ops;
  for (const EngineFault& fault : check->faults) {
    if (!absl::c_linear_search(ops, fault.op)) {
      ops.push_back(fault.op);
    }
  }
  return CommandOutcome::LimitCrossed(absl::StrCat(
      options->check.engine, " has faults here in ", absl::StrJoin(ops, ", ")));
}

}  // namespace

Command CheckEngineCommand() { return {&kSpec, Run}; }

}  // namespace ns
