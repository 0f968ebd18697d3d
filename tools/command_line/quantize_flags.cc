#include "tools/command_line/quantize_flags.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/inline_modules.h"
#include "ir/status.h"
#include "passes/quantization/default_qconfigs.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"float", "PATH", "the float model, saved by torch.jit.save"},
    {"inputs", "PATHS",
     "batches to calibrate on: torch.save of a list of tensors, tuples or "
     "dicts; several files with commas"},
    {"out", "PATH", "where the quantized model goes"},
    {"mode", "NAME",
     "static (default): activations by what the batches show; dynamic: by the "
     "range of each at run time; weight-only: in float; qat: static, and the "
     "model is trained to compute well with rounded values"},
    {"backend", "NAME",
     "fbgemm (default), x86, onednn or qnnpack: whose default qconfigs"},
    {"qconfig", "PATH", "a qconfig mapping as JSON instead of the defaults"},
    {"emit-qconfig", "PATH",
     "write the mapping that was used, for --qconfig; --keep is not in it"},
    {"observer", "KIND",
     "of activations: mse (default), minmax, moving-average, histogram, "
     "percentile, entropy, or auto: of minmax, mse and percentile the one with "
     "which the layers lose least on batches held back"},
    {"target", "NAME",
     "where the model will run: fbgemm-avx2 (default of fbgemm and x86), any "
     "server; fbgemm-vnni, servers with VNNI; onednn; qnnpack. Where sums "
     "could "
     "saturate there, activations or weights get 7 bits, whichever costs the "
     "layers less on batches held back; with --qconfig, errors are those that "
     "the target has"},
    {"bias-correction", "NAME",
     "fast (default): biases make up for what rounding weights shifts, in the "
     "layers where that helps on batches held back; sequential: layer by "
     "layer, "
     "for what the layers before shift, too; none"},
    {"equalize", "",
     "move factors between consecutive layers, so that the channels of their "
     "weights have like ranges, where that helps on batches held back"},
    {"smooth", "",
     "move large channels behind layer norms into the weights of the linear "
     "layers that read them, where that helps"},
    {"adaround", "N",
     "round weights up or down as the outputs of their layer need it, found in "
     "N steps a layer (1000 are enough for most), where that helps on batches "
     "held back"},
    {"keep", "LIST",
     "what stays float, with commas: names of layers or globs (layer1.*), ops "
     "(aten::linear), families (linear) or types of modules (Linear)"},
    {"compat", "VERSION",
     "torch-1.13: the scales, zero points and weights of prepare_fx and "
     "convert_fx"},
    {"reference", "",
     "write the reference graph: quantize and dequantize around float ops"},
    {"prepared", "PATHS",
     "with --float: keep the observed model there; without: convert it, "
     "several with commas as one"},
    {"eager", "",
     "quantize module by module, as torch.ao.quantization.quantize does: from "
     "QuantStub to DeQuantStub; the modules and their names stay"},
    {"labels", "PATH",
     "qat: the classes of the inputs, torch.save of a list of one tensor of "
     "integers for each batch; without it, the float model is the teacher"},
    {"epochs", "N", "qat: how often the batches are trained on; default 3"},
    {"lr", "NUMBER",
     "qat: the learning rate of the first step, which falls to 0; default "
     "3e-4, for sgd 1e-2"},
    {"optimizer", "NAME", "qat: adam (default), or sgd with momentum 0.9"},
    {"held-out", "N",
     "qat: the last N batches are not trained on; the figures are of them; "
     "default a tenth"},
    {"seed", "N", "qat: says in which order the batches come; default 0"},
    {"checkpoint", "PATH",
     "qat: where the state of the training is kept, from which the same "
     "command goes on when it was killed; default: beside --out"},
    {"max-batches", "N", "stop after N batches"},
    {"method", "NAME", "the method to quantize; default forward"},
    {"leaf", "TYPES",
     "module types and script functions that stay calls, in float, with "
     "commas"},
    {"json", "PATH", "write the report as JSON; - is standard output"},
    {"threads", "N", "threads within one op; default: all cores"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the model, with commas"},
    {"quiet", "", "no table, no progress"},
};

constexpr CommandSpec kSpec = {
    "quantize",
    "makes a quantized model of a float one",
    "ns quantize --float=PATH [--inputs=PATHS] --out=PATH [--flag=value ...]",
    "Batch norms are folded, activations observed on the batches, and layers "
    "replaced by\n"
    "quantized ops. The result needs LibTorch's ops alone: torch.jit.load "
    "reads it. The\n"
    "table has each layer's scales and zero points and the rule that chose its "
    "qconfig,\n"
    "what stayed float and why, and the SQNR of the outputs on the batches: "
    "20 log10\n"
    "(|x| / |x - y|) in dB, x float and y quantized.\n\n"
    "--prepared keeps the observed model, to be converted later, after more "
    "calibration\n"
    "with --inputs. Several that were prepared alike, each calibrated on a "
    "part of the\n"
    "batches by a process of its own, are converted as one:\n"
    "  ns quantize --float=F.pt --inputs=I0.pt --prepared=P0.pt --out=Q0.pt\n"
    "  ns quantize --float=F.pt --inputs=I1.pt --prepared=P1.pt --out=Q1.pt\n"
    "  ns quantize --prepared=P0.pt,P1.pt --out=Q.pt\n\n"
    "--mode=qat calibrates and then trains, for models that calibration alone "
    "costs too\n"
    "much:\n"
    "  ns quantize --mode=qat --float=F.pt --inputs=I.pt --labels=L.pt "
    "--out=Q.pt\n",
    kFlags,
    "bazel run -c opt //tools:ns -- quantize --float=tools/demo/float.pt "
    "--inputs=tools/demo/images.pt --out=quantized.pt",
};

constexpr absl::string_view kModes[] = {"static", "dynamic", "weight-only",
                                        "qat"};
constexpr char kAutoObserver[] = "auto";
constexpr absl::string_view kObservers[] = {
    "mse",        "minmax",  "moving-average", "histogram",
    "percentile", "entropy", kAutoObserver};
constexpr absl::string_view kTargets[] = {"fbgemm-avx2", "fbgemm-vnni",
                                          "onednn", "qnnpack"};
constexpr absl::string_view kBiasCorrections[] = {"fast", "sequential", "none"};
constexpr absl::string_view kVersions[] = {"torch-1.13"};

// What says how a float model is prepared: a prepared one has it in itself.
constexpr absl::string_view kPreparing[] = {"qconfig", "emit-qconfig",
                                            "observer", "keep", "leaf"};

template <typename... Parts>
absl::Status Refused(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

QuantizeMode ModeNamed(absl::string_view name) {
  return name == "dynamic"       ? QuantizeMode::kDynamic
         : name == "weight-only" ? QuantizeMode::kWeightOnly
                                 : QuantizeMode::kStatic;
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
  if (!flags.Has("observer")) {
    return absl::OkStatus();
  }
  for (const absl::string_view other : {"compat", "qconfig"}) {
    if (flags.Has(other)) {
      return Refused("--observer and --", other,
                     " both say what observes activations; leave one out");
    }
  }
  return is_static
             ? absl::OkStatus()
             : Refused("--observer needs --mode=static; --mode=", parsed.mode,
                       " observes no activations");
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
  const auto refused = [&](absl::string_view flag) {
    return Refused("--", flag, "=", flags.Get(flag), " has no use with ", other,
                   "; leave it out");
  };
  if (other.empty()) {
    return absl::OkStatus();
  }
  if (flags.Get("bias-correction", "none") != "none") {
    return refused("bias-correction");
  }
  for (const char* flag : {"equalize", "smooth"}) {
    if (flags.Has(flag)) {
      return Refused("--", flag, " has no use with ", other, "; leave one out");
    }
  }
  if (flags.Has("adaround")) {
    return refused("adaround");
  }
  return flags.Get("observer", "") == kAutoObserver ? refused("observer")
                                                    : absl::OkStatus();
}

// Checks that nothing is asked of a hierarchy that only flat graphs have.
absl::Status CheckEager(const Flags& flags) {
  if (!flags.Has("eager")) {
    return absl::OkStatus();
  }
  if (!flags.Has("float")) {
    return Refused("--eager needs --float=PATH");
  }
  for (const absl::string_view other :
       {"emit-qconfig", "leaf", "method", "prepared", "reference"}) {
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
  for (const std::string& path : parsed.prepared_paths) {
    add("prepared", path, parsed.HasFloat() ? outputs : inputs);
  }
  for (const PathFlag& output : outputs) {
    if (output.path == "-") {
      return Refused("--", output.flag,
                     "=- is no file; only --json can go to standard output");
    }
  }
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

// Error: a target that the backend has no kernels for, and flags that leave it
// nothing to say.
absl::Status ParseTarget(const Flags& flags, QuantizeOptions& options) {
  NS_ASSIGN_OR_RETURN(const std::string target,
                      flags.Choice("target", kTargets));
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
  if (mode != "static" || !flags.Has("float")) {
    return Refused("--target needs --float and --mode=static");
  }
  const bool is_fbgemm =
      options.backend == Backend::kFbgemm || options.backend == Backend::kX86;
  const auto mode_of_target =
      kernels::FindSaturationMode(std::string_view(target));
  if (is_fbgemm != mode_of_target.has_value() ||
      (!is_fbgemm && target != BackendName(options.backend))) {
    return Refused("--target=", target,
                   " is not one of --backend=", BackendName(options.backend),
                   is_fbgemm
                       ? "; use fbgemm-avx2 or fbgemm-vnni"
                       : absl::StrCat("; use ", BackendName(options.backend)));
  }
  if (mode_of_target) {
    options.target = *mode_of_target;
  }
  return absl::OkStatus();
}

// Reads the flags that say how the model is quantized.
absl::Status ParseOptions(const Flags& flags, QuantizeFlags& parsed) {
  QuantizeOptions& options = parsed.options;
  NS_ASSIGN_OR_RETURN(parsed.mode, flags.Choice("mode", kModes));
  options.mode = ModeNamed(parsed.mode);
  NS_ASSIGN_OR_RETURN(const std::string backend,
                      flags.Choice("backend", BackendNames()));
  NS_ASSIGN_OR_RETURN(options.backend, BackendNamed(backend));
  NS_ASSIGN_OR_RETURN(const std::string observer,
                      flags.Choice("observer", kObservers));
  options.choose_observers = observer == kAutoObserver;
  options.observer = options.choose_observers ? ObserverKind::kMse
                                              : *FindObserverKind(observer);
  NS_RETURN_IF_ERROR(ParseTarget(flags, options));
  NS_ASSIGN_OR_RETURN(const std::string correction,
                      flags.Choice("bias-correction", kBiasCorrections));
  const bool has_use_for_choices = HasNoUseForChoices(flags).empty();
  if (correction != "none" && has_use_for_choices) {
    options.bias_correction = correction == "fast"
                                  ? BiasCorrection::kFast
                                  : BiasCorrection::kSequential;
  }
  options.equalize = flags.Has("equalize");
  options.smooth = flags.Has("smooth");
  NS_ASSIGN_OR_RETURN(const auto steps, flags.Number("adaround", 1));
  options.rounding_steps = steps.value_or(0);
  options.choose_ranges = has_use_for_choices && !flags.Has("qconfig");
  NS_ASSIGN_OR_RETURN(options.keep, flags.List("keep"));
  NS_RETURN_IF_ERROR(flags.Choice("compat", kVersions).status());
  options.compat = flags.Has("compat");
  options.reference = flags.Has("reference");
  parsed.model.method = flags.Get("method", "forward");
  NS_ASSIGN_OR_RETURN(parsed.leaves, flags.List("leaf"));
  if (!parsed.leaves.empty()) {
    parsed.model.is_leaf = LeafTypes(parsed.leaves);
  }
  return absl::OkStatus();
}

}  // namespace

const CommandSpec& QuantizeSpec() { return kSpec; }

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
  NS_RETURN_IF_ERROR(CheckPaths(parsed));
  return parsed;
}

}  // namespace ns
