#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/status.h"
#include "ns/accuracy/label_accuracy.h"
#include "ns/batches/batch_reader.h"
#include "ns/report/limit_text.h"
#include "ns/report/stub_table.h"
#include "ns/report/table_report.h"
#include "ns/suite/activation_files.h"
#include "ns/suite/byte_size.h"
#include "ns/suite/compare_models.h"
#include "ns/suite/user_metrics.h"
#include "passes/kernels/saturation_mode.h"
#include "tools/command_line/commands.h"
#include "tools/command_line/compare_modules.h"
#include "tools/command_line/limit_flags.h"
#include "tools/command_line/model_pair.h"
#include "tools/command_line/progress_bar.h"
#include "tools/command_line/report_output.h"
#include "tools/command_line/run_facts.h"
#include "tools/command_line/run_flags.h"
#include "tools/command_line/state_dict_files.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"float", "PATH",
     "the float model, saved by torch.jit.save, or its state_dict, saved by "
     "torch.save"},
    {"quantized", "PATH", "the quantized model made from it, likewise"},
    {"inputs", "PATHS",
     "sample batches: torch.save of a list of tensors, tuples or dicts; "
     "several "
     "files with commas"},
    {"what", "LIST",
     "any of weights, activations, shadows, kernel, stubs, outputs, with "
     "commas; "
     "default: "
     "weights, with --inputs the first three"},
    {"swap", "TYPES",
     "for stubs: types of float modules to run beside the quantized ones, with "
     "commas"},
    {"modules", "TYPES",
     "for outputs: types of modules to compare, with commas; default: those of "
     "PyTorch's suite"},
    {"max-batches", "N", "stop after N batches"},
    {"labels", "PATH",
     "the classes of the inputs, torch.save of a list of one tensor of "
     "integers "
     "for each batch: tells top-1 of both models and which samples flip"},
    {"metric", "NAME=PATH",
     "figures of your own, several with commas: modules saved by "
     "torch.jit.save with forward(float: Tensor, quantized: Tensor) -> float, "
     "called on each pair of compared values"},
    {"per-channel", "", "name the worst output channels of each layer"},
    {"outliers", "",
     "tell how large the largest errors of each layer are, and what part of "
     "the whole error they make up (slower)"},
    {"histograms", "",
     "put into the JSON how values, errors and weights are distributed"},
    {"exact", "",
     "run float convolutions as they stand, not folded and fused (slower)"},
    {"save-activations", "DIR",
     "keep the compared values there: for each layer and batch a file for "
     "torch.load"},
    {"save-budget", "BYTES",
     "how much --save-activations may write, as 500M or 2G; default 1G"},
    {"matching", "MODE", "aligned (default) or strict, as PyTorch's suite"},
    {"method", "NAME", "the method to compare; default forward"},
    {"emulate", "NAME",
     "compute what another processor would: fbgemm-avx2 is fbgemm without "
     "VNNI, where sums of products saturate, fbgemm-vnni with it; tells what "
     "saturates in each layer, or without --inputs what can"},
    {"json", "PATH", "write the results as JSON; - is standard output"},
    {"csv", "PATH", "write the results as CSV; - is standard output"},
    {"html", "PATH",
     "write the report there, one file for a browser; - is standard output"},
    {"graph", "",
     "put the graphs of both models, the processor and hashes of all files "
     "into the JSON, as --html does"},
    kFailBelowFlag,
    kMaxClipFlag,
    kMaxUnmatchedFlag,
    kBaselineFlag,
    kMaxDropFlag,
    kEarlyStopFlag,
    kJunitFlag,
    {"sort", "ORDER",
     "rows by graph (execution, default) or error (worst first)"},
    {"coverage", "", "tell what is quantized, and why the rest is not"},
    {"source", "", "show where each layer is in the code of the model"},
    {"threads", "N", "threads within one op; default: all cores"},
    {"leaf", "TYPES",
     "module types and script functions that are one op, with commas"},
    {"names", "MODEL",
     "whose names the layers get: quantized (default) or float"},
    {"relate", "PAIRS",
     "ops, or types of --leaf, that are the same: A=B, with commas"},
    {"unmatchable", "OPS",
     "ops, or types of modules whose ops, are never matched, with commas"},
    {"io-type", "TYPES",
     "what ops of your own take and return, for shadows: OP=float, OP=int8 or "
     "OP=either, with commas"},
    {"engine", "NAME",
     "onednn or qnnpack; default: the first that can run the model"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the models, with commas"},
    {"quiet", "", "no table, no progress"},
};

constexpr CommandSpec kSpec = {
    "compare",
    "compares weights, activations and shadows of two models, layer by layer",
    "ns compare --float=PATH --quantized=PATH [--inputs=PATH] [--flag=value "
    "...]",
    "The table goes to standard output. SQNR is 20 log10(|x| / |x - y|) in "
    "dB:\n"
    "higher is better, int8 weights give 30 to 50, and 'exact' is no "
    "difference.\n"
    "'activations' runs each model on its own values, so that errors add up.\n"
    "'shadows' runs each float layer on the quantized model's inputs: this is\n"
    "the error of the layer alone. 'stubs' does the same for whole modules,\n"
    "such as a residual block. 'outputs' compares what modules and the models\n"
    "return, each model on its own values. 'kernel' compares each quantized\n"
    "op with a reference that dequantizes, computes in float and quantizes:\n"
    "what the kernel adds to the error of quantization.\n",
    kFlags,
    "bazel run -c opt //tools:ns -- compare --float=tools/demo/float.pt "
    "--quantized=tools/demo/quantized.pt --inputs=tools/demo/images.pt",
};

// The number of worst channels that are reported for each layer.
constexpr int64_t kWorstChannels = 8;

struct MetricFlag {
  std::string name;
  std::string path;
};

struct Options {
  ModelPairOptions models;
  CompareOptions compare;
  std::vector<MetricFlag> metrics;
  // Without a path, no accuracy is counted.
  std::string labels_path;
  // Without a directory, no activations are kept.
  ActivationFiles::Options save;
  ModuleOptions modules;
  LimitFlags limits;
  ReportOutputs outputs;
  RunFlags run;
};

absl::Status ParseWhat(const Flags& flags, bool has_inputs, Options& options) {
  CompareOptions& compare = options.compare;
  compare.activations = false;
  compare.weights = false;
  ModuleOptions& modules = options.modules;
  NS_ASSIGN_OR_RETURN(modules.swap_list, flags.List("swap"));
  NS_ASSIGN_OR_RETURN(modules.output_types, flags.List("modules"));
  const std::string list =
      flags.Get("what", has_inputs ? "weights,activations,shadows" : "weights");
  for (const absl::string_view what : absl::StrSplit(list, ',')) {
    if (what == "weights") {
      compare.weights = true;
    } else if (what == "activations") {
      compare.activations = true;
    } else if (what == "shadows") {
      compare.shadows = true;
    } else if (what == "kernel") {
      compare.kernels = true;
    } else if (what == "stubs") {
      modules.stubs = true;
    } else if (what == "outputs") {
      modules.outputs = true;
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "--what=", what,
          " is not one of weights, activations, shadows, kernel, stubs, "
          "outputs"));
    }
    if (what != "weights" && !has_inputs) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--what=", what, " needs --inputs=PATH with sample batches"));
    }
  }
  return CheckModuleOptions(modules);
}

absl::Status ParseSave(const Flags& flags, Options& options) {
  options.save.directory = flags.Get("save-activations");
  const std::string budget = flags.Get("save-budget", "");
  if (!budget.empty()) {
    const absl::StatusOr<int64_t> bytes = ParseByteSize(budget);
    if (!bytes.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--save-budget: ", bytes.status().message()));
    }
    options.save.budget_bytes = *bytes;
  }
  const bool runs = options.compare.activations || options.compare.shadows;
  if (!options.save.directory.empty() && !runs) {
    return absl::InvalidArgumentError(
        "--save-activations needs --what=activations or shadows");
  }
  if (!budget.empty() && options.save.directory.empty()) {
    return absl::InvalidArgumentError(
        "--save-budget needs --save-activations=DIR");
  }
  return absl::OkStatus();
}

// Whether layers are compared while the models run.
bool RunsLayers(const Options& options) {
  const CompareOptions& compare = options.compare;
  return compare.activations || compare.shadows || compare.kernels;
}

absl::Status ParseMetrics(const Flags& flags, Options& options) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> metrics,
                      flags.List("metric"));
  for (const std::string& metric : metrics) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(metric, absl::MaxSplits('=', 1));
    const MetricFlag flag = {parts.first, parts.second};
    if (flag.path.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--metric=", metric, " is not NAME=PATH, such as psnr=psnr.pt"));
    }
    const absl::Status named = CheckMetricName(flag.name);
    if (!named.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--metric: ", named.message()));
    }
    if (absl::c_any_of(options.metrics, [&](const MetricFlag& other) {
          return other.name == flag.name;
        })) {
      return absl::InvalidArgumentError(
          absl::StrCat("--metric names two metrics '", flag.name, "'"));
    }
    options.metrics.push_back(flag);
  }
  if (!metrics.empty() && !RunsLayers(options)) {
    return absl::InvalidArgumentError(
        "--metric needs --what=activations, shadows or kernel");
  }
  return absl::OkStatus();
}

absl::Status ParseLabels(const Flags& flags, Options& options) {
  if (!flags.Has("labels")) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(options.labels_path, flags.Required("labels"));
  return options.compare.activations
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   "--labels needs both models to run, by --what=activations "
                   "and --inputs=PATH");
}

absl::Status ParseEmulate(const Flags& flags, Options& options) {
  if (!flags.Has("emulate")) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const std::string name,
                      flags.Choice("emulate", {"fbgemm-avx2", "fbgemm-vnni"}));
  if (options.modules.Any()) {
    return absl::InvalidArgumentError(
        "--emulate is of single layers; leave stubs and outputs out of --what");
  }
  options.compare.emulate = kernels::FindSaturationMode(name);
  return absl::OkStatus();
}

bool ComparesLayers(const Options& options) {
  return options.compare.weights || RunsLayers(options);
}

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.models, ParseModelPair(flags));
  NS_ASSIGN_OR_RETURN(options.outputs, ParseReportOutputs(flags));
  NS_ASSIGN_OR_RETURN(options.run, ParseRunFlags(flags));
  NS_RETURN_IF_ERROR(
      ParseWhat(flags, !options.run.input_paths.empty(), options));
  NS_ASSIGN_OR_RETURN(options.compare.match, ParseMatchOptions(flags));
  NS_ASSIGN_OR_RETURN(options.compare.io_types, ParseIoTypes(flags));
  NS_RETURN_IF_ERROR(ParseSave(flags, options));
  NS_RETURN_IF_ERROR(ParseMetrics(flags, options));
  NS_RETURN_IF_ERROR(ParseLabels(flags, options));
  NS_RETURN_IF_ERROR(ParseEmulate(flags, options));
  options.compare.graphs = flags.Has("graph") || flags.Has("html");
  NS_ASSIGN_OR_RETURN(options.limits,
                      ParseLimitFlags(flags, {ComparesLayers(options),
                                              options.compare.activations,
                                              options.compare.shadows}));
  options.compare.exact = flags.Has("exact");
  options.compare.outliers = flags.Has("outliers");
  options.compare.histograms = flags.Has("histograms") || flags.Has("html");
  if (flags.Has("histograms") && options.outputs.json_path.empty()) {
    return absl::InvalidArgumentError(
        "--histograms are written into the JSON; add --json=PATH");
  }
  options.compare.worst_channels =
      flags.Has("per-channel") ? kWorstChannels : 0;
  std::vector<PathFlag> inputs = {{"float", options.models.float_path},
                                  {"quantized", options.models.quantized_path}};
  for (const std::string& path : options.run.input_paths) {
    inputs.push_back({"inputs", path});
  }
  for (const MetricFlag& metric : options.metrics) {
    inputs.push_back({"metric", metric.path});
  }
  inputs.push_back({"baseline", options.limits.baseline_path});
  inputs.push_back({"labels", options.labels_path});
  NS_RETURN_IF_ERROR(CheckDistinct({{"json", options.outputs.json_path},
                                    {"csv", options.outputs.csv_path},
                                    {"html", options.outputs.html_path},
                                    {"junit", options.outputs.junit_path}},
                                   inputs));
  return options;
}

// Warns of files that did not fit the budget.
void WarnOfLeftOut(const ActivationFiles& files, ComparisonResult& result) {
  if (files.files_left_out() > 0) {
    result.warnings.push_back(absl::StrCat(
        "--save-activations: ", files.files_left_out(), " files did not fit ",
        files.bytes_written(), " bytes written so far; raise --save-budget"));
  }
}

absl::Status CompareLayers(const Options& options, const BatchReader& batches,
                           LimitChecker& limits, ComparisonResult& result) {
  return WithModels(options.models, [&](ModelPair& models) -> absl::Status {
    ProgressBar bar(options.outputs.quiet);
    CompareOptions compare = options.compare;
    compare.progress = [&](int64_t done, int64_t total) {
      bar.Update(done, total);
    };
    compare.check_matches = [&](const ComparisonResult& matched) {
      return limits.CheckMatches(matched);
    };
    if (options.limits.early_stop) {
      compare.is_settled = [&](const ComparisonResult& so_far, int64_t left) {
        return limits.IsCrossedForGood(so_far, left);
      };
    }
    for (const MetricFlag& metric : options.metrics) {
      NS_ASSIGN_OR_RETURN(UserMetric loaded,
                          LoadUserMetric(metric.name, metric.path));
      compare.user_metrics.push_back(std::move(loaded));
    }
    std::optional<LabelAccuracy> accuracy;
    if (!options.labels_path.empty()) {
      NS_ASSIGN_OR_RETURN(
          accuracy, LabelAccuracy::Load(options.labels_path, batches.size(),
                                        options.run.max_batches.has_value()));
      compare.see_outputs = [&](int64_t batch, const c10::IValue& of_float,
                                const c10::IValue& of_quantized) {
        return accuracy->Add(batch, of_float, of_quantized);
      };
    }
    std::optional<ActivationFiles> files;
    if (!options.save.directory.empty()) {
      NS_ASSIGN_OR_RETURN(files, ActivationFiles::Create(options.save));
      compare.files = &*files;
    }
    NS_ASSIGN_OR_RETURN(
        result, CompareModels(models.float_model, models.quantized_model,
                              batches, compare));
    if (result.batches < batches.size() && options.limits.early_stop) {
      result.warnings.push_back(absl::StrCat(
          "--early-stop: a limit is crossed after ", result.batches, " of ",
          batches.size(), " batches, whatever the others hold"));
    }
    if (accuracy) {
      result.accuracy = accuracy->Result();
    }
    if (files) {
      WarnOfLeftOut(*files, result);
    }
    return absl::OkStatus();
  });
}

// Compares the weights of state dicts; see state_dict_files.h.
absl::StatusOr<ComparisonResult> CompareStateDicts(const Options& options,
                                                   LimitChecker& limits) {
  NS_ASSIGN_OR_RETURN(ComparisonResult result,
                      CompareStateDictFiles(options.models));
  NS_RETURN_IF_ERROR(limits.CheckMatches(result));
  return result;
}

// Returns the tables of the layers, if any were compared, the stubs and the
// outputs.
std::string ToTables(const ComparisonResult& result,
                     const TableOptions& options) {
  std::vector<std::string> tables;
  const bool has_modules =
      result.stubs.has_value() || result.outputs.has_value();
  if (!has_modules || !result.layers.empty() || !result.unmatched.empty()) {
    tables.push_back(ToTable(result, options));
  }
  if (result.stubs.has_value()) {
    tables.push_back(ToStubTable(result, options));
  }
  if (result.outputs.has_value()) {
    tables.push_back(ToOutputTable(result, options));
  }
  return absl::StrJoin(tables, "\n");
}

std::vector<std::string> FilesOf(const Options& options) {
  std::vector<std::string> paths = {options.models.float_path,
                                    options.models.quantized_path};
  const std::vector<std::string>& inputs = options.run.input_paths;
  paths.insert(paths.end(), inputs.begin(), inputs.end());
  return paths;
}

absl::StatusOr<ComparisonResult> Compare(const Options& options,
                                         LimitChecker& limits) {
  UseThreads(options.run);
  BatchReader batches = BatchReader::FromBatches({});
  if (RunsLayers(options) || options.modules.Any()) {
    NS_ASSIGN_OR_RETURN(batches, OpenBatches(options.run));
  }
  ComparisonResult result;
  if (ComparesLayers(options)) {
    NS_RETURN_IF_ERROR(CompareLayers(options, batches, limits, result));
  } else {
    result.matching = options.compare.match.mode == MatchingMode::kStrict
                          ? "strict"
                          : "aligned";
  }
  NS_RETURN_IF_ERROR(CompareModules(options.modules, options.models, batches,
                                    options.outputs.quiet, result));
  return result;
}

// Compares, holds the result against the limits, and writes it.
absl::Status CompareAndWrite(const Options& options, bool are_state_dicts,
                             LimitChecker& limits, ComparisonResult& result) {
  NS_RETURN_IF_ERROR(
      PrepareOutputs({options.outputs.json_path, options.outputs.csv_path,
                      options.outputs.html_path, options.outputs.junit_path}));
  NS_ASSIGN_OR_RETURN(result, are_state_dicts
                                  ? CompareStateDicts(options, limits)
                                  : Compare(options, limits));
  result.float_path = options.models.float_path;
  result.quantized_path = options.models.quantized_path;
  limits.Check(result);
  if (options.compare.graphs) {
    NS_RETURN_IF_ERROR(DescribeRun(FilesOf(options), result));
  }
  return WriteReports(options.outputs, result, ToTables);
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<Options> options = ParseOptions(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  const bool only_weights = options->compare.weights && !RunsLayers(*options) &&
                            !options->modules.Any();
  const bool are_state_dicts = only_weights && AreStateDicts(options->models);
  if (are_state_dicts) {
    if (absl::Status status = CheckFlagsOfStateDicts(flags); !status.ok()) {
      return CommandOutcome::WrongUsage(status);
    }
  }
  absl::StatusOr<LimitChecker> limits = LimitChecker::Create(options->limits);
  if (!limits.ok()) {
    return CommandOutcome::Failed(limits.status());
  }
  ComparisonResult result;
  const absl::Status status =
      CompareAndWrite(*options, are_state_dicts, *limits, result);
  if (!limits->wrong_usage().ok()) {
    return CommandOutcome::WrongUsage(limits->wrong_usage());
  }
  return status.ok() ? CommandOutcome::LimitCrossed(CrossedLine(
                           result.limits.value_or(std::vector<LimitCheck>())))
                     : CommandOutcome::Failed(status);
}

}  // namespace

Command CompareCommand() { return {&kSpec, Run}; }

}  // namespace ns
