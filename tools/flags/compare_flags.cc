#include "tools/flags/compare_flags.h"

#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ns/report/json/metric_name.h"
#include "ns/suite/byte_size.h"
#include "passes/kernels/saturation_mode.h"
#include "tools/flags/model_pair.h"

namespace ns {
namespace {

// The number of worst channels that are reported for each layer.
constexpr int64_t kWorstChannels = 8;

// These flags are about graphs, and about running them.
constexpr absl::string_view kOfTorchScript[] = {
    "emulate",  "engine",      "exact",  "inputs", "io-type", "leaf",
    "matching", "max-batches", "method", "names",  "relate",  "unmatchable"};

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
  for (const char* other : {"emulate", "exact", "labels", "save-activations"}) {
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

absl::Status ParseMetrics(const Flags& flags, CompareFilesOptions& options) {
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> metrics,
                      flags.List("metric"));
  for (const std::string& metric : metrics) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(metric, absl::MaxSplits('=', 1));
    const MetricFile flag = {parts.first, parts.second};
    if (flag.path.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--metric=", metric, " is not NAME=PATH, such as psnr=psnr.pt"));
    }
    const absl::Status named = CheckMetricName(flag.name);
    if (!named.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--metric: ", named.message()));
    }
    if (absl::c_any_of(options.metrics, [&](const MetricFile& other) {
          return other.name == flag.name;
        })) {
      return absl::InvalidArgumentError(
          absl::StrCat("--metric names two metrics '", flag.name, "'"));
    }
    options.metrics.push_back(flag);
  }
  if (!metrics.empty() && !RunsLayers(options.compare)) {
    return absl::InvalidArgumentError(
        "--metric needs --what=activations, shadows or kernel");
  }
  return absl::OkStatus();
}

absl::Status ParseLabels(const Flags& flags, CompareFilesOptions& options) {
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

absl::Status ParseEmulate(const Flags& flags, CompareFilesOptions& options) {
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

}  // namespace

absl::StatusOr<CompareFlags> ParseCompareFlags(const Flags& flags) {
  CompareFlags parsed;
  CompareFilesOptions& options = parsed.compare;
  NS_ASSIGN_OR_RETURN(options.models, ParseModelPair(flags));
  NS_ASSIGN_OR_RETURN(parsed.outputs, ParseReportOutputs(flags));
  NS_ASSIGN_OR_RETURN(parsed.run, ParseRunFlags(flags));
  options.input_paths = parsed.run.input_paths;
  options.has_more_labels = parsed.run.max_batches.has_value();
  NS_RETURN_IF_ERROR(ParseWhat(flags, !options.input_paths.empty(), options));
  NS_RETURN_IF_ERROR(
      ParseReference(flags, !options.input_paths.empty(), options));
  NS_ASSIGN_OR_RETURN(options.compare.match, ParseMatchOptions(flags));
  NS_ASSIGN_OR_RETURN(options.compare.io_types, ParseIoTypes(flags));
  NS_RETURN_IF_ERROR(ParseSave(flags, options));
  NS_RETURN_IF_ERROR(ParseMetrics(flags, options));
  NS_RETURN_IF_ERROR(ParseLabels(flags, options));
  NS_RETURN_IF_ERROR(ParseParts(flags, options));
  NS_RETURN_IF_ERROR(ParseEmulate(flags, options));
  options.compare.graphs = flags.Has("graph") || flags.Has("html");
  NS_ASSIGN_OR_RETURN(
      parsed.limits,
      ParseLimitFlags(flags,
                      {options.compare.weights || RunsLayers(options.compare),
                       options.compare.activations, options.compare.shadows}));
  options.compare.exact = flags.Has("exact");
  options.compare.outliers = flags.Has("outliers");
  options.compare.histograms = flags.Has("histograms") || flags.Has("html");
  if (flags.Has("histograms") && parsed.outputs.json_path.empty()) {
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
  for (const MetricFile& metric : options.metrics) {
    inputs.push_back({"metric", metric.path});
  }
  inputs.push_back({"baseline", parsed.limits.baseline_path});
  inputs.push_back({"labels", options.labels_path});
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
