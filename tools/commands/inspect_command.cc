#include <string>

#include "ir/base/status.h"
#include "ns/compare/engines.h"
#include "ns/inspect/inspect_model.h"
#include "ns/inspect/inspection_report.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"
#include "tools/flags/engine_flag.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"model", "PATH", "the model, saved by torch.jit.save"},
    {"json", "PATH", "write the description as JSON; - is standard output"},
    {"quiet", "", "no table"},
    {"method", "NAME", "the method whose layers are shown; default forward"},
    {"engine", "NAME",
     "of those that ns --version lists; default: the first that can load the "
     "model"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the model, with commas"},
};

constexpr absl::string_view kPositionals[] = {"model"};

constexpr CommandSpec kSpec = {
    "inspect",
    "shows the kind, methods, layers and scales of one model",
    "ns inspect MODEL [--flag=value ...]",
    "The table has the op of each layer, in what it computes, its weight, and "
    "the scale\n"
    "and zero point of its output. Scales of weights with one for each channel "
    "are from\n"
    "the lowest to the highest. Layers with the same number under 'one scale' "
    "share scale\n"
    "and zero point.\n",
    kFlags,
    "ns inspect tools/demo/quantized.pt",
    kPositionals,
};

struct Options {
  std::string path;
  std::string method;
  std::string engine;
  ReportOutputs outputs;
};

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.path, flags.Required("model"));
  options.method = flags.Get("method", "forward");
  NS_ASSIGN_OR_RETURN(options.engine, ParseEngine(flags));
  NS_ASSIGN_OR_RETURN(options.outputs, ParseReportOutputs(flags));
  NS_RETURN_IF_ERROR(CheckDistinct({{"json", options.outputs.json_path}},
                                   {{"model", options.path}}));
  return options;
}

absl::Status Inspect(const Options& options) {
  NS_RETURN_IF_ERROR(PrepareOutputs({options.outputs.json_path}));
  ModelInspection inspection;
  NS_RETURN_IF_ERROR(WithEngine(options.engine, [&]() -> absl::Status {
    NS_ASSIGN_OR_RETURN(inspection, InspectModel(options.path, options.method));
    return absl::OkStatus();
  }));
  ReportTexts texts;
  texts.json = [&] { return InspectionJson(inspection); };
  texts.table = [&](const TableOptions& table) {
    return InspectionTable(inspection, table);
  };
  return WriteTexts(options.outputs, texts);
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<Options> options = ParseOptions(flags);
  return options.ok() ? CommandOutcome::Done(Inspect(*options))
                      : CommandOutcome::WrongUsage(options.status());
}

}  // namespace

Command InspectCommand() { return {&kSpec, Run}; }

}  // namespace ns
