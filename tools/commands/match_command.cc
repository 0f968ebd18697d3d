#include <string>

#include "ir/base/status.h"
#include "ns/report/table/table_report.h"
#include "ns/suite/compare_models.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"
#include "tools/flags/model_pair.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    Heading("inputs"),
    {"float", "PATH", "the float model, saved by torch.jit.save"},
    {"quantized", "PATH", "the quantized model made from it"},
    Heading("output"),
    {"json", "PATH", "write the pairs as JSON; - is standard output"},
    {"quiet", "", "no table"},
    Heading("matching"),
    {"matching", "MODE", "aligned (default) or strict, as PyTorch's suite"},
    {"names", "MODEL",
     "whose names the layers get: quantized (default) or float"},
    {"leaf", "TYPES",
     "module types and script functions that are one op, with commas"},
    {"relate", "PAIRS",
     "ops, or types of --leaf, that are the same: A=B, with commas"},
    {"unmatchable", "OPS",
     "ops, or types of modules whose ops, are never matched, with commas"},
    Heading("advanced"),
    {"method", "NAME", "the method to match; default forward"},
    {"engine", "NAME",
     "of those that ns --version lists; default: the first that can load the "
     "model"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the models, with commas"},
};

constexpr absl::string_view kPositionals[] = {"float", "quantized"};

constexpr CommandSpec kSpec = {
    "match",
    "shows which ops of two models correspond, and which do not and why",
    "ns match FLOAT QUANTIZED [--flag=value ...]",
    "",
    kFlags,
    "ns match tools/demo/float.pt tools/demo/quantized.pt",
    kPositionals,
};

struct Options {
  ModelPairOptions models;
  MatchOptions match;
  ReportOutputs outputs;
};

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.models, ParseModelPair(flags));
  NS_ASSIGN_OR_RETURN(options.outputs, ParseReportOutputs(flags));
  NS_ASSIGN_OR_RETURN(options.match, ParseMatchOptions(flags));
  NS_RETURN_IF_ERROR(
      CheckDistinct({{"json", options.outputs.json_path}},
                    {{"float", options.models.float_path},
                     {"quantized", options.models.quantized_path}}));
  return options;
}

absl::Status Match(const Options& options) {
  NS_RETURN_IF_ERROR(PrepareOutputs({options.outputs.json_path}));
  ComparisonResult result;
  NS_RETURN_IF_ERROR(
      WithModels(options.models, [&](ModelPair& models) -> absl::Status {
        NS_ASSIGN_OR_RETURN(
            result, DescribeMatches(models.float_model, models.quantized_model,
                                    options.match));
        return absl::OkStatus();
      }));
  result.float_path = options.models.float_path;
  result.quantized_path = options.models.quantized_path;
  return WriteReports(options.outputs, result, ToMatchTable);
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<Options> options = ParseOptions(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  const absl::Status status = Match(*options);
  return status.ok() ? CommandOutcome() : CommandOutcome::Failed(status);
}

}  // namespace

Command MatchCommand() { return {&kSpec, Run}; }

}  // namespace ns
