#include "tools/flags/quantize_flags.h"

#include <iterator>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/flatten/inline_modules.h"
#include "ns/quantization/accurate/rescale_layers.h"
#include "tools/flags/budget_flag.h"
#include "tools/flags/quantizing_flags.h"

namespace ns {
namespace {

constexpr absl::string_view kModes[] = {"static", "dynamic", "weight-only",
                                        "qat"};
constexpr absl::string_view kBiasCorrections[] = {"best", "fast", "sequential",
                                                  "none"};
constexpr absl::string_view kVersions[] = {"torch-1.13"};

// What says how a float model is prepared: a prepared one has it in itself.
constexpr absl::string_view kPreparing[] = {
    "qconfig", "emit-qconfig", "observer", "headroom", "keep", "leaf"};

template <typename... Parts>
absl::Status Refused(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

QuantizeMode ModeNamed(absl::string_view name) {
  return name == "dynamic"       ? QuantizeMode::kDynamic
         : name == "weight-only" ? QuantizeMode::kWeightOnly
                                 : QuantizeMode::kStatic;
}

BiasCorrection CorrectionNamed(absl::string_view name) {
  return name == "best"         ? BiasCorrection::kBest
         : name == "fast"       ? BiasCorrection::kFast
         : name == "sequential" ? BiasCorrection::kSequential
                                : BiasCorrection::kNone;
}

// Checks that there is a model to start from, and the flags that go with it.
absl::Status CheckModels(const Flags& flags, const QuantizeFlags& parsed) {
  const size_t prepared = parsed.prepared_paths.size();
  if (!flags.Has("float") && prepared == 0) {
    return Refused(
        "--float is required, or --prepared with the file that an earlier run "
        "kept");
  }
  if (flags.Has("float") && prepared > 1) {
    return Refused("--prepared=", flags.Get("prepared"), " names ", prepared,
                   " files; with --float it is the one to write");
  }
  if (prepared > 0 && parsed.mode != "static") {
    return Refused("--prepared is for --mode=static; --mode=", parsed.mode,
                   " has no prepared model that could be kept");
  }
  for (const absl::string_view name : kPreparing) {
    if (!flags.Has("float") && flags.Has(name)) {
      return Refused("--", name,
                     " says how a float model is prepared, and --prepared was; "
                     "give --float, too, or leave it out");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCalibration(const Flags& flags, const QuantizeFlags& parsed) {
  const bool is_static = parsed.options.mode == QuantizeMode::kStatic;
  if (is_static && flags.Has("float") && !flags.Has("inputs")) {
    return Refused(
        "--mode=", parsed.mode,
        " needs --inputs=PATHS with batches to calibrate on; --mode=dynamic "
        "needs none");
  }
  if (flags.Has("max-batches") && !flags.Has("inputs")) {
    return Refused("--max-batches needs --inputs=PATHS");
  }
  for (const absl::string_view flag : {"observer", "headroom"}) {
    if (!flags.Has(flag)) {
      continue;
    }
    for (const absl::string_view other : {"compat", "qconfig"}) {
      if (flags.Has(other)) {
        return Refused("--", flag, " and --", other,
                       " both say what observes activations; leave one out");
      }
    }
    if (!is_static) {
      return Refused("--", flag, " needs --mode=static; --mode=", parsed.mode,
                     " observes no activations");
    }
  }
  return absl::OkStatus();
}

// Returns the flag with which nothing is chosen by what it costs; empty for
// none.
std::string HasNoUseForChoices(const Flags& flags) {
  for (const char* other : {"compat", "eager", "prepared", "reference"}) {
    if (flags.Has(other)) {
      return absl::StrCat("--", other);
    }
  }
  const std::string mode = flags.Get("mode", "static");
  return mode == "static" ? "" : absl::StrCat("--mode=", mode);
}

absl::Status CheckChoices(const Flags& flags) {
  const std::string other = HasNoUseForChoices(flags);
  if (other.empty()) {
    return absl::OkStatus();
  }
  for (const char* flag :
       {"bias-correction", "equalize", "smooth", "adaround", "observer"}) {
    const std::string value = flags.Get(flag);
    const bool chooses = flag != absl::string_view("observer")
                             ? flags.Has(flag) && value != "none"
                             : value == kAutoObserver;
    if (chooses) {
      return Refused("--", flag,
                     value == "true" ? "" : absl::StrCat("=", value),
                     " has no use with ", other, "; leave it out");
    }
  }
  return absl::OkStatus();
}

// Checks that nothing is asked of a hierarchy that only flat graphs have.
absl::Status CheckEager(const Flags& flags) {
  if (!flags.Has("eager")) {
    return absl::OkStatus();
  }
  if (!flags.Has("float")) {
    return Refused("--eager needs --float=PATH");
  }
  for (const absl::string_view other : {"emit-qconfig", "headroom", "leaf",
                                        "method", "prepared", "reference"}) {
    if (flags.Has(other)) {
      return Refused("--", other,
                     " is for flat graphs; leave it out, or --eager");
    }
  }
  return absl::OkStatus();
}

// Checks that what says how to train is given where a model is trained.
absl::Status CheckTraining(const Flags& flags, const QuantizeFlags& parsed) {
  for (const absl::string_view name : TrainingFlagNames()) {
    if (parsed.mode != "qat" && flags.Has(name)) {
      return Refused("--", name,
                     " is for --mode=qat; add that, or leave it out");
    }
  }
  if (parsed.mode == "qat" && parsed.eager && flags.Has("observer")) {
    return Refused(
        "--observer is for flat graphs where a model is trained; leave it out, "
        "or --eager");
  }
  return parsed.mode == "qat" && flags.Has("compat")
             ? Refused(
                   "--compat is for the modes that do not train; leave it out")
             : absl::OkStatus();
}

// Checks that nothing is asked for that a search for a budget does not do.
absl::Status CheckBudget(const Flags& flags, const QuantizeFlags& parsed) {
  if (!flags.Has("float") || parsed.mode != "static") {
    return Refused("--budget needs --float and --mode=static");
  }
  for (const absl::string_view other :
       {"adaround", "allow-dead", "compat", "eager", "equalize", "out-float",
        "prepared", "reference", "smooth"}) {
    if (flags.Has(other)) {
      return Refused("--", other, " has no use with --budget; leave it out");
    }
  }
  if (parsed.options.methods.choose_observers ||
      parsed.options.methods.bias_correction == BiasCorrection::kSequential) {
    const char* flag = parsed.options.methods.choose_observers
                           ? "observer"
                           : "bias-correction";
    return Refused("--", flag, "=", flags.Get(flag),
                   " has no use with --budget; use another, or leave it out");
  }
  return absl::OkStatus();
}

// Checks the paths: models are no text that standard output could take, and no
// output is another file of the command.
absl::Status CheckPaths(const QuantizeFlags& parsed) {
  std::vector<PathFlag> outputs = {
      {"out", parsed.out_path}, {"emit-qconfig", parsed.outputs.qconfig_path}};
  std::vector<PathFlag> inputs;
  const auto add = [](absl::string_view flag, const std::string& path,
                      std::vector<PathFlag>& files) {
    if (!path.empty()) {
      files.push_back({flag, path});
    }
  };
  add("out-float", parsed.out_float_path, outputs);
  for (const std::string& path : parsed.prepared_paths) {
    add("prepared", path, parsed.HasFloat() ? outputs : inputs);
  }
  NS_RETURN_IF_ERROR(CheckAreFiles(outputs));
  if (parsed.training) {
    add("checkpoint", parsed.training->options.checkpoint_path, outputs);
    add("labels", parsed.training->labels_path, inputs);
  }
  add("json", parsed.outputs.json_path, outputs);
  add("float", parsed.float_path, inputs);
  add("qconfig", parsed.qconfig_path, inputs);
  for (const std::string& path : parsed.run.input_paths) {
    add("inputs", path, inputs);
  }
  return CheckDistinct(outputs, inputs);
}

// Reads the paths of files, none of which may be empty.
absl::Status ParsePaths(const Flags& flags, QuantizeFlags& parsed) {
  const struct {
    absl::string_view flag;
    std::string& path;
  } optional[] = {{"float", parsed.float_path},
                  {"out-float", parsed.out_float_path},
                  {"qconfig", parsed.qconfig_path}};
  for (const auto& [flag, path] : optional) {
    if (flags.Has(flag)) {
      NS_ASSIGN_OR_RETURN(path, flags.Required(flag));
    }
  }
  NS_ASSIGN_OR_RETURN(parsed.prepared_paths, flags.List("prepared"));
  NS_ASSIGN_OR_RETURN(parsed.run, ParseRunFlags(flags));
  NS_ASSIGN_OR_RETURN(parsed.outputs, ParseReportOutputs(flags));
  return absl::OkStatus();
}

// Error: flags that leave --target nothing to say.
absl::Status CheckTarget(const Flags& flags) {
  if (!flags.Has("target")) {
    return absl::OkStatus();
  }
  for (const char* other : {"compat", "eager"}) {
    if (flags.Has(other)) {
      return Refused("--target and --", other,
                     " both say how many bits there are; leave one out");
    }
  }
  const std::string mode = flags.Get("mode", "static");
  return (mode != "static" && mode != "dynamic") || !flags.Has("float")
             ? Refused("--target needs --float and --mode=static or dynamic")
             : absl::OkStatus();
}

// Error: --out-float where no factors can move.
absl::Status CheckOutFloat(const Flags& flags, const QuantizeFlags& parsed) {
  if (!flags.Has("out-float")) {
    return absl::OkStatus();
  }
  for (const char* other : {"compat", "eager", "reference"}) {
    if (flags.Has(other)) {
      return Refused("--out-float and --", other,
                     ": no factors move there; leave one out");
    }
  }
  return parsed.mode != "static" || !flags.Has("float")
             ? Refused("--out-float needs --float and --mode=static")
             : absl::OkStatus();
}

// Reads the flags that say how the model is quantized.
absl::Status ParseOptions(const Flags& flags, QuantizeFlags& parsed) {
  QuantizeOptions& options = parsed.options;
  NS_ASSIGN_OR_RETURN(parsed.mode, flags.Choice("mode", kModes));
  options.mode = ModeNamed(parsed.mode);
  NS_RETURN_IF_ERROR(CheckTarget(flags));
  // Training begins with what calibration gives.
  const std::string other = HasNoUseForChoices(flags);
  if (other.empty() || other == "--mode=qat") {
    options.methods = DefaultMethods();
  }
  NS_RETURN_IF_ERROR(ParseQuantizing(flags, options));
  NS_ASSIGN_OR_RETURN(const std::string correction,
                      flags.Choice("bias-correction", kBiasCorrections));
  if (flags.Has("bias-correction")) {
    options.methods.bias_correction = CorrectionNamed(correction);
  }
  NS_ASSIGN_OR_RETURN(const auto headroom, flags.Positive("headroom"));
  options.headroom = headroom.value_or(1);
  options.methods.choose_headroom &= !headroom.has_value();
  if (!(options.headroom >= 1)) {
    return Refused("--headroom=", flags.Get("headroom"),
                   " is below 1, which would cut off what was seen; use 1 or "
                   "more");
  }
  options.methods.equalize = flags.Has("equalize");
  options.methods.smooth = flags.Has("smooth");
  NS_ASSIGN_OR_RETURN(const auto steps, flags.Number("adaround", 1));
  options.methods.rounding_steps = steps.value_or(0);
  NS_RETURN_IF_ERROR(flags.Choice("compat", kVersions).status());
  options.compat = flags.Has("compat");
  options.reference = flags.Has("reference");
  options.allow_lost_channels = flags.Has("allow-dead");
  parsed.model.method = flags.Get("method", "forward");
  NS_ASSIGN_OR_RETURN(parsed.leaves, flags.List("leaf"));
  if (!parsed.leaves.empty()) {
    parsed.model.is_leaf = LeafTypes(parsed.leaves);
  }
  return absl::OkStatus();
}

ModelOrigin OriginOf(const Flags& flags, const QuantizeFlags& parsed) {
  ModelOrigin origin;
  origin.command = flags.CommandText();
  if (parsed.HasFloat()) {
    origin.inputs.push_back(parsed.float_path);
  } else {
    origin.inputs = parsed.prepared_paths;
  }
  absl::c_copy(parsed.run.input_paths, std::back_inserter(origin.inputs));
  if (!parsed.qconfig_path.empty()) {
    origin.inputs.push_back(parsed.qconfig_path);
  }
  return origin;
}

}  // namespace

absl::StatusOr<QuantizeFlags> ParseQuantizeFlags(const Flags& flags) {
  QuantizeFlags parsed;
  NS_RETURN_IF_ERROR(ParsePaths(flags, parsed));
  NS_RETURN_IF_ERROR(ParseOptions(flags, parsed));
  parsed.eager = flags.Has("eager");
  NS_RETURN_IF_ERROR(CheckEager(flags));
  NS_RETURN_IF_ERROR(CheckChoices(flags));
  NS_RETURN_IF_ERROR(CheckModels(flags, parsed));
  NS_ASSIGN_OR_RETURN(parsed.out_path, flags.Required("out"));
  NS_RETURN_IF_ERROR(CheckCalibration(flags, parsed));
  NS_RETURN_IF_ERROR(CheckTraining(flags, parsed));
  if (parsed.mode == "qat") {
    NS_ASSIGN_OR_RETURN(parsed.training,
                        ParseTrainingFlags(flags, parsed.out_path));
  }
  if (flags.Has("budget")) {
    NS_RETURN_IF_ERROR(CheckBudget(flags, parsed));
    NS_ASSIGN_OR_RETURN(parsed.budget_db, ParseBudgetDb(flags));
  }
  NS_RETURN_IF_ERROR(CheckOutFloat(flags, parsed));
  NS_RETURN_IF_ERROR(CheckPaths(parsed));
  parsed.origin = OriginOf(flags, parsed);
  return parsed;
}

}  // namespace ns
