#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/compare/engines.h"
#include "ns/n_shadows/planned_mapping.h"
#include "ns/n_shadows/sensitivity.h"
#include "ns/n_shadows/sensitivity_json.h"
#include "ns/n_shadows/sensitivity_table.h"
#include "passes/quantization/qconfig/qconfig_json.h"
#include "tools/command_line/progress_bar.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"
#include "tools/flags/engine_flag.h"
#include "tools/flags/run_flags.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    Heading("inputs"),
    {"float", "PATH", "the float model, saved by torch.jit.save"},
    kInputsFlag,
    {"max-batches", "N", "stop after N batches"},
    Heading("what to try"),
    {"candidates", "LIST",
     "any of int8-per-tensor, int8-per-channel, dynamic, fp16, int4-weights, "
     "with commas, in order of preference; default: all in this order"},
    {"observer", "KIND",
     "what finds the range of static activations: minmax (default), "
     "moving-average, histogram, mse, percentile or entropy (see above)"},
    {"budget", "BUDGET",
     "what may be lost: 30dB, 3layers or 10% (see above); default: no advice"},
    Heading("output"),
    {"emit-qconfig", "PATH",
     "write what the budget advises as a qconfig mapping, JSON that can be "
     "edited; - is standard output"},
    {"json", "PATH", "write the results as JSON; - is standard output"},
    {"sort", "ORDER",
     "rows by graph (execution, default) or error (worst first)"},
    {"top", "N", "only the N worst rows, worst first"},
    {"quiet", "", "no table, no progress"},
    Heading("advanced"),
    {"method", "NAME", "the method to measure; default forward"},
    {"engine", "NAME",
     "of those that ns --version lists, for quantized parts of the model; "
     "default: the first "
     "that can run it"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the model, with commas"},
    {"threads", "N", "threads within one op; default: all that it may use"},
};

constexpr absl::string_view kPositionals[] = {"float", "inputs"};

constexpr CommandSpec kSpec = {
    "sensitivity",
    "shows what each layer of a float model would lose to quantization",
    "ns sensitivity FLOAT INPUTS [--flag=value ...]",
    "Each layer is run beside its float self once for every candidate, with "
    "weights and\n"
    "activations quantized and dequantized, on the float model's own values: "
    "the table\n"
    "has the SQNR, 20 log10(|x| / |x - y|) in dB, of the layer alone. Every "
    "batch runs\n"
    "twice: to calibrate, then to measure.\n\n"
    "candidates:\n"
    "  int8-per-tensor   static uint8 activations, int8 weights with one "
    "scale\n"
    "  int8-per-channel  the same with a scale for each output channel\n"
    "  dynamic           input activations with each batch's range, float "
    "output\n"
    "  fp16              half precision; counts as float below\n"
    "  int4-weights      int4 weights per channel, float activations\n\n"
    "observers of static activations:\n"
    "  minmax          the range of all values\n"
    "  moving-average  an average of the batches' ranges\n"
    "  histogram       the range that PyTorch's HistogramObserver finds\n"
    "  mse             the range with the least squared error: clips outliers "
    "where\n"
    "                  that loses less\n"
    "  percentile      the range without the 0.01% farthest values on each "
    "side\n"
    "  entropy         the range that keeps the distribution best\n\n"
    "With --budget, each layer gets the first candidate that is good enough, "
    "or stays\n"
    "in float:\n"
    "  30dB     good enough is 30 dB or more\n"
    "  3layers  at most 3 layers stay in float, the worst ones; good enough is "
    "what all\n"
    "           others can reach\n"
    "  10%      the same for 10 percent of the layers\n"
    "A layer without a figure (nan) stays in float besides those. "
    "--emit-qconfig writes\n"
    "the advice as a file: a rule for each layer, null for float.\n",
    kFlags,
    "ns sensitivity tools/demo/float.pt tools/demo/images.pt --budget=30dB",
    kPositionals,
};

struct Options {
  std::string float_path;
  std::string method;
  std::string engine;
  RunFlags run;
  std::vector<QConfig> candidates;
  std::optional<Budget> budget;
  ReportOutputs outputs;
};

absl::StatusOr<std::vector<QConfig>> ParseCandidates(const Flags& flags) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                      flags.List("candidates"));
  std::vector<QConfig> candidates;
  for (const std::string& name : names) {
    absl::StatusOr<QConfig> candidate = QConfigNamed(name);
    if (!candidate.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--candidates=", name, ": ", candidate.status().message()));
    }
    candidates.push_back(*candidate);
  }
  if (candidates.empty()) {
    candidates = NamedQConfigs();
  }
  NS_ASSIGN_OR_RETURN(
      const std::string observer,
      flags.Choice("observer", {"minmax", "moving-average", "histogram", "mse",
                                "percentile", "entropy"}));
  for (QConfig& candidate : candidates) {
    if (ModeOf(candidate.activation) == QuantizationMode::kStatic) {
      candidate.activation.config.kind = *FindObserverKind(observer);
    }
  }
  return candidates;
}

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.float_path, flags.Required("float"));
  NS_RETURN_IF_ERROR(flags.Required("inputs").status());
  options.method = flags.Get("method", "forward");
  NS_ASSIGN_OR_RETURN(options.engine, ParseEngine(flags));
  NS_ASSIGN_OR_RETURN(options.run, ParseRunFlags(flags));
  NS_ASSIGN_OR_RETURN(options.candidates, ParseCandidates(flags));
  if (flags.Has("budget")) {
    NS_ASSIGN_OR_RETURN(options.budget, ParseBudget(flags.Get("budget")));
  }
  NS_ASSIGN_OR_RETURN(options.outputs, ParseReportOutputs(flags));
  if (!options.outputs.qconfig_path.empty() && !options.budget) {
    return absl::InvalidArgumentError(
        "--emit-qconfig needs to know what may be lost; pass --budget=30dB or "
        "--budget=3layers");
  }
  std::vector<PathFlag> inputs = {{"float", options.float_path}};
  for (const std::string& path : options.run.input_paths) {
    inputs.push_back({"inputs", path});
  }
  NS_RETURN_IF_ERROR(
      CheckDistinct({{"json", options.outputs.json_path},
                     {"emit-qconfig", options.outputs.qconfig_path}},
                    inputs));
  return options;
}

struct Results {
  SensitivityReport report;
  // What the plan recommends, if there is one.
  QConfigMapping mapping;
};

absl::StatusOr<Sensitivity> Measure(const ModelGraph& model,
                                    const Options& options,
                                    const std::vector<Batch>& batches) {
  ProgressBar bar(options.outputs.quiet);
  SensitivityOptions sensitivity;
  sensitivity.candidates = options.candidates;
  sensitivity.progress = [&](int64_t done, int64_t total) {
    bar.Update(done, total);
  };
  return MeasureSensitivity(model, batches, sensitivity);
}

absl::StatusOr<Results> MeasureAndPlan(const Options& options,
                                       const std::vector<Batch>& batches) {
  ModelGraphOptions graph_options;
  graph_options.method = options.method;
  NS_ASSIGN_OR_RETURN(const ModelGraph model,
                      ModelGraph::FromFile(options.float_path, graph_options));
  Results results;
  SensitivityReport& report = results.report;
  NS_ASSIGN_OR_RETURN(report.sensitivity, Measure(model, options, batches));
  report.sensitivity.float_path = options.float_path;
  if (options.budget) {
    NS_ASSIGN_OR_RETURN(results.mapping,
                        ConfirmPlan(model, batches, *options.budget, report));
  }
  return results;
}

absl::Status Run(const Options& options) {
  UseThreads(options.run);
  NS_RETURN_IF_ERROR(PrepareOutputs(
      {options.outputs.json_path, options.outputs.qconfig_path}));
  NS_ASSIGN_OR_RETURN(const BatchReader reader, OpenBatches(options.run));
  NS_ASSIGN_OR_RETURN(const std::vector<Batch> batches, reader.ReadAll());
  Results results;
  NS_RETURN_IF_ERROR(WithEngine(options.engine, [&]() -> absl::Status {
    NS_ASSIGN_OR_RETURN(results, MeasureAndPlan(options, batches));
    return absl::OkStatus();
  }));
  SensitivityReport& report = results.report;
  absl::c_move(RandomInputsWarning(options.run.input_paths),
               std::back_inserter(report.sensitivity.warnings));
  ReportTexts texts;
  texts.qconfig = [&] { return QConfigMappingToJson(results.mapping); };
  texts.json = [&] { return SensitivityJson(report); };
  texts.table = [&](const TableOptions& table) {
    return SensitivityTable(report, table);
  };
  texts.warnings = report.sensitivity.warnings;
  return WriteTexts(options.outputs, texts);
}

CommandOutcome RunCommand(const Flags& flags) {
  const absl::StatusOr<Options> options = ParseOptions(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  const absl::Status status = Run(*options);
  return status.ok() ? CommandOutcome() : CommandOutcome::Failed(status);
}

}  // namespace

Command SensitivityCommand() { return {&kSpec, RunCommand}; }

}  // namespace ns
