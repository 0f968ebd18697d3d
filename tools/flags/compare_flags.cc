#include "tools/flags/compare_flags.h"

#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ns/findings/limits/limits.h"
#include "ns/report/json/metric_name.h"
#include "passes/kernels/saturation_mode.h"
#include "tools/flags/byte_size.h"
#include "tools/flags/model_pair.h"

namespace ns {
namespace {

// The number of worst channels that are reported for each layer.
constexpr int64_t kWorstChannels = 8;

// These flags are about graphs, and about running them.
constexpr absl::string_view kOfTorchScript[] = {
    "emulate",  "engine",  "exact",  "fingerprints", "inputs",
    "inputs-b", "io-type", "leaf",   "matching",     "max-batches",
    "method",   "names",   "relate", "time",         "unmatchable"};

// Error: flags that ask for values which a reference does not have.
absl::Status ParseReference(const Flags& flags, bool has_inputs,
                            CompareFilesOptions& options) {
  if (!flags.Has("reference")) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(options.reference, flags.Required("reference"));
  if (!has_inputs) {
    return absl::InvalidArgumentError(
        "--reference needs --inputs=PATH with the batches that its values are "
        "of");
  }
  if (options.modules.Any() || options.compare.shadows ||
      options.compare.kernels || !options.compare.activations) {
    return absl::InvalidArgumentError(
        "--reference is of activations; --what takes weights,activations or "
        "activations with it");
  }
  for (const char* other :
       {"emulate", "exact", "labels", "samples", "save-activations", "score"}) {
    if (flags.Has(other)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", other,
                       " is of runs of the float model, and --reference "
                       "stands for one; leave one of them out"));
    }
  }
  return absl::OkStatus();
}

std::string DefaultWhat(const Flags& flags, bool has_inputs) {
  return !has_inputs              ? "weights"
         : flags.Has("reference") ? "weights,activations"
                                  : "weights,activations,shadows";
}

// Error: types without the option that they are for, or stubs without types.
absl::Status CheckModuleOptions(const ModuleOptions& options) {
  if (options.stubs && options.swap_list.empty()) {
    return absl::InvalidArgumentError(
        "--what=stubs needs --swap=TYPES with types of float modules, such as "
        "--swap=QuantizableBasicBlock");
  }
  if (!options.stubs && !options.swap_list.empty()) {
    return absl::InvalidArgumentError("--swap=TYPES needs --what=stubs");
  }
  if (!options.outputs && !options.output_types.empty()) {
    return absl::InvalidArgumentError("--modules=TYPES needs --what=outputs");
  }
  return absl::OkStatus();
}

absl::Status ParseWhat(const Flags& flags, bool has_inputs,
                       CompareFilesOptions& options) {
  CompareOptions& compare = options.compare;
  compare.activations = false;
  compare.weights = false;
  ModuleOptions& modules = options.modules;
  NS_ASSIGN_OR_RETURN(modules.swap_list, flags.List("swap"));
  NS_ASSIGN_OR_RETURN(modules.output_types, flags.List("modules"));
  const std::string list = flags.Get("what", DefaultWhat(flags, has_inputs));
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

absl::Status ParseSave(const Flags& flags, CompareFilesOptions& options) {
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

// Names are parts of lines, limits and attributes of XML.
bool IsScoreName(absl::string_view name) {
  return !name.empty() && absl::c_all_of(name, [](char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("._-@", c);
  });
}

// Reads --<flag>=NAME=PATH, several with commas, into files with a name and a
// path. `example` is one such value.
template <typename File>
absl::Status ParseNamedFiles(const Flags& flags, absl::string_view flag,
                             absl::string_view example,
                             std::vector<File>& files) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> values, flags.List(flag));
  for (const std::string& value : values) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(value, absl::MaxSplits('=', 1));
    if (parts.second.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", flag, "=", value, " is not NAME=PATH, such as ", example));
    }
    if (absl::c_any_of(files, [&](const File& other) {
          return other.name == parts.first;
        })) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", flag, " names two ", flag, "s '", parts.first, "'"));
    }
    files.push_back({parts.first, parts.second});
  }
  return absl::OkStatus();
}

absl::Status ParseMetrics(const Flags& flags, CompareFilesOptions& options) {
  NS_RETURN_IF_ERROR(
      ParseNamedFiles(flags, "metric", "psnr=psnr.pt", options.metrics));
  for (const MetricFile& metric : options.metrics) {
    const absl::Status named = CheckMetricName(metric.name);
    if (!named.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--metric: ", named.message()));
    }
  }
  if (!options.metrics.empty() && !RunsLayers(options.compare)) {
    return absl::InvalidArgumentError(
        "--metric needs --what=activations, shadows or kernel");
  }
  return absl::OkStatus();
}

absl::Status ParseTask(const Flags& flags, TaskFigureOptions& task) {
  if (flags.Has("labels")) {
    NS_ASSIGN_OR_RETURN(task.labels_path, flags.Required("labels"));
  }
  task.has_more_labels = flags.Has("max-batches");
  NS_RETURN_IF_ERROR(
      ParseNamedFiles(flags, "score", "map=map.pt", task.scores));
  for (const ScoreFile& score : task.scores) {
    if (!IsScoreName(score.name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--score: '", score.name,
          "' cannot name a score: use letters, digits and any of ._-@"));
    }
  }
  return absl::OkStatus();
}

absl::Status ParseSamples(const Flags& flags, CompareFilesOptions& options) {
  if (!flags.Has("samples")) {
    return absl::OkStatus();
  }
  absl::StatusOr<SampleChoice> choice = ParseSampleChoice(flags.Get("samples"));
  if (!choice.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--samples: ", choice.status().message()));
  }
  options.samples = *std::move(choice);
  if (options.samples->kind != SampleChoice::Kind::kListed &&
      !options.compare.activations) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--samples=", flags.Get("samples"),
        " needs both models to run, by --what=activations and --inputs=PATH"));
  }
  return RunsLayers(options.compare) || options.modules.Any()
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   "--samples needs --inputs=PATH, and --what with more than "
                   "weights");
}

// Error: flags of the task where the models do not both run.
absl::Status CheckBothRun(const Flags& flags,
                          const CompareFilesOptions& options) {
  for (const absl::string_view flag : {"labels", "score"}) {
    if (flags.Has(flag) && !options.compare.activations) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag,
                       " needs both models to run, by --what=activations and "
                       "--inputs=PATH"));
    }
  }
  return absl::OkStatus();
}

// Error: a limit on scores that there are not.
absl::Status CheckScoreLimits(const Limits& limits,
                              const TaskFigureOptions& task) {
  if (limits.max_score_drop.empty()) {
    return absl::OkStatus();
  }
  if (task.scores.empty()) {
    return absl::InvalidArgumentError(
        "--max-score-drop needs --score=NAME=PATH with a module that computes "
        "the score");
  }
  std::vector<std::string> names;
  for (const ScoreFile& score : task.scores) {
    names.push_back(score.name);
  }
  return CheckScoreNames(limits, names);
}

absl::Status ParseSecondInputs(const Flags& flags,
                               CompareFilesOptions& options) {
  NS_ASSIGN_OR_RETURN(options.second.paths, ParseInputPaths(flags, "inputs-b"));
  if (options.second.paths.empty()) {
    return absl::OkStatus();
  }
  if (!options.compare.activations) {
    return absl::InvalidArgumentError(
        "--inputs-b compares activations on a second data set, which needs "
        "--inputs=PATH and --what with activations");
  }
  return options.reference.empty()
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   "--inputs-b runs the float model, and --reference stands "
                   "for a run of it; leave one of them out");
}

// Reads what is measured beside shadows.
absl::Status ParseParts(const Flags& flags, CompareFilesOptions& options) {
  for (const char* name : {"parts", "suggest"}) {
    if (flags.Has(name) && !options.compare.shadows) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name,
                       " measures beside shadows, which need --what=shadows "
                       "and --inputs=PATH"));
    }
  }
  if (flags.Has("suggest") && flags.Has("emulate")) {
    return absl::InvalidArgumentError(
        "--suggest measures with the kernels of this machine, and --emulate "
        "stands for others; leave one of them out");
  }
  options.compare.try_changes = flags.Has("suggest");
  options.compare.parts =
      options.compare.shadows && (flags.Has("parts") || flags.Has("html"));
  return absl::OkStatus();
}

// Error: flags with which the models do not run as they are.
absl::Status ParseTime(const Flags& flags, CompareFilesOptions& options) {
  options.compare.times = flags.Has("time");
  if (!options.compare.times) {
    return absl::OkStatus();
  }
  if (options.input_paths.empty()) {
    return absl::InvalidArgumentError(
        "--time runs both models, which needs --inputs=PATH");
  }
  if (!options.compare.weights && !RunsLayers(options.compare)) {
    return absl::InvalidArgumentError(
        "--time is of single layers; add weights to --what");
  }
  for (const absl::string_view other : {"emulate", "reference"}) {
    if (flags.Has(other)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--time measures both models on this machine, and --",
                       other, " stands for another; leave one of them out"));
    }
  }
  return absl::OkStatus();
}

absl::Status ParseFingerprints(const Flags& flags,
                               CompareFilesOptions& options) {
  options.compare.fingerprints = flags.Has("fingerprints");
  if (options.compare.fingerprints && !options.compare.activations) {
    return absl::InvalidArgumentError(
        "--fingerprints hashes activations, which need --inputs=PATH and "
        "--what with activations");
  }
  if (options.compare.fingerprints && flags.Has("reference")) {
    return absl::InvalidArgumentError(
        "--fingerprints hashes what the models compute here, and --reference "
        "stands for a run elsewhere; leave one of them out");
  }
  return absl::OkStatus();
}

absl::Status ParseEmulate(const Flags& flags, CompareFilesOptions& options) {
  if (!flags.Has("emulate")) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(
      const std::string name,
      flags.Choice("emulate", {"fbgemm-avx2", "fbgemm-vnni", "exact"}));
  if (options.modules.Any()) {
    return absl::InvalidArgumentError(
        "--emulate is of single layers; leave stubs and outputs out of --what");
  }
  options.compare.emulate = kernels::FindSaturationMode(name);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompareFlags> ParseCompareFlags(const Flags& flags) {
  CompareFlags parsed;
  CompareFilesOptions& options = parsed.compare;
  NS_ASSIGN_OR_RETURN(options.models, ParseModelPair(flags));
  NS_ASSIGN_OR_RETURN(parsed.outputs, ParseReportOutputs(flags));
  NS_ASSIGN_OR_RETURN(parsed.run, ParseRunFlags(flags));
  options.input_paths = parsed.run.input_paths;
  NS_RETURN_IF_ERROR(ParseWhat(flags, !options.input_paths.empty(), options));
  NS_RETURN_IF_ERROR(
      ParseReference(flags, !options.input_paths.empty(), options));
  NS_ASSIGN_OR_RETURN(options.compare.match, ParseMatchOptions(flags));
  NS_ASSIGN_OR_RETURN(options.compare.io_types, ParseIoTypes(flags));
  NS_RETURN_IF_ERROR(ParseSave(flags, options));
  NS_RETURN_IF_ERROR(ParseMetrics(flags, options));
  NS_RETURN_IF_ERROR(ParseTask(flags, options.task));
  NS_RETURN_IF_ERROR(CheckBothRun(flags, options));
  NS_RETURN_IF_ERROR(ParseSamples(flags, options));
  NS_RETURN_IF_ERROR(ParseSecondInputs(flags, options));
  NS_RETURN_IF_ERROR(ParseParts(flags, options));
  NS_RETURN_IF_ERROR(ParseEmulate(flags, options));
  NS_RETURN_IF_ERROR(ParseTime(flags, options));
  options.compare.graphs = flags.Has("graph") || flags.Has("html");
  NS_ASSIGN_OR_RETURN(
      parsed.limits,
      ParseLimitFlags(flags,
                      {options.compare.weights || RunsLayers(options.compare),
                       options.compare.activations, options.compare.shadows}));
  NS_RETURN_IF_ERROR(CheckScoreLimits(parsed.limits.limits, options.task));
  NS_RETURN_IF_ERROR(ParseFingerprints(flags, options));
  // Folded and fused layers have other bits.
  options.compare.exact = flags.Has("exact") || options.compare.fingerprints;
  options.compare.outliers = flags.Has("outliers");
  options.compare.histograms = flags.Has("histograms") || flags.Has("html");
  if (flags.Has("histograms") && parsed.outputs.json_path.empty() &&
      !flags.Has("shard")) {
    return absl::InvalidArgumentError(
        "--histograms are written into the JSON; add --json=PATH");
  }
  options.compare.worst_channels =
      flags.Has("per-channel") ? kWorstChannels : 0;
  std::vector<PathFlag> inputs = {{"float", options.models.float_path},
                                  {"quantized", options.models.quantized_path}};
  for (const std::string& path : options.input_paths) {
    inputs.push_back({"inputs", path});
  }
  for (const std::string& path : options.second.paths) {
    inputs.push_back({"inputs-b", path});
  }
  for (const MetricFile& metric : options.metrics) {
    inputs.push_back({"metric", metric.path});
  }
  inputs.push_back({"baseline", parsed.limits.baseline_path});
  inputs.push_back({"labels", options.task.labels_path});
  for (const ScoreFile& score : options.task.scores) {
    inputs.push_back({"score", score.path});
  }
  NS_RETURN_IF_ERROR(CheckDistinct({{"json", parsed.outputs.json_path},
                                    {"csv", parsed.outputs.csv_path},
                                    {"html", parsed.outputs.html_path},
                                    {"junit", parsed.outputs.junit_path}},
                                   inputs));
  return parsed;
}

absl::Status CheckFlagsOfStateDicts(const Flags& flags) {
  for (const absl::string_view flag : kOfTorchScript) {
    if (flags.Has(flag)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", flag,
          " is of TorchScript models, and the files are "
          "state_dicts, which are compared by their keys; leave it out"));
    }
  }
  return absl::OkStatus();
}

}  // namespace ns
