#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/flatten/inline_modules.h"
#include "ir/model/model_graph.h"
#include "ns/accuracy/class_labels.h"
#include "ns/search/search.h"
#include "ns/search/search_candidates.h"
#include "ns/search/search_json.h"
#include "ns/search/search_table.h"
#include "passes/quantization/qconfig/qconfig_json.h"
#include "tools/command_line/keep_memory.h"
#include "tools/command_line/output_files.h"
#include "tools/command_line/progress_bar.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"
#include "tools/flags/budget_flag.h"
#include "tools/flags/quantizing_flags.h"
#include "tools/flags/run_flags.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    Heading("inputs"),
    kFloatFlag,
    kInputsFlag,
    {"labels", "PATH",
     "instead of --budget: the classes of the inputs, torch.save of a list of "
     "one tensor of integers for each batch"},
    {"max-batches", "N", "stop after N batches"},
    Heading("what to reach"),
    {"budget", "DB", "the least SQNR of the outputs: 30dB"},
    {"max-drop", "POINTS",
     "with --labels: how many points of top-1 may be lost; default 0.5"},
    Heading("what to choose from"),
    {"candidates", "LIST",
     "what a layer may have besides float, with commas: default (the "
     "default qconfigs of backend and target), or qconfigs by name, such as "
     "int8-per-channel; default: default"},
    {"target", "NAME",
     "where the model will run: fbgemm-avx2 (default of fbgemm and x86) or "
     "onednn-avx2, any server; fbgemm-vnni or onednn, servers with VNNI; "
     "qnnpack"},
    kBackendFlag,
    {"observer", "KIND",
     "of activations: mse (default), minmax, moving-average, histogram, "
     "percentile or entropy"},
    {"bias-correction", "NAME",
     "fast (default): biases make up for what rounding weights shifts, in the "
     "layers where that helps; none"},
    kKeepFlag,
    Heading("output"),
    {"emit-qconfig", "PATH",
     "write the recipe as a qconfig mapping, for ns quantize --qconfig"},
    {"out", "PATH", "where the quantized model goes"},
    {"json", "PATH", "write the report as JSON; - is standard output"},
    {"quiet", "", "no table, no progress"},
    Heading("advanced"),
    kMethodFlag,
    kLeafFlag,
    {"load-library", "PATHS",
     "shared libraries that register ops of the model, with commas"},
    {"threads", "N", "threads within one op; default: all that it may use"},
};

constexpr absl::string_view kPositionals[] = {"float", "inputs"};

constexpr CommandSpec kSpec = {
    "search",
    "finds the fastest mixed-precision recipe that keeps a budget",
    "ns search FLOAT INPUTS (--budget=DB | --labels=PATH) [--flag=value ...]",
    "Chooses for each layer float or one of the candidates. One run with "
    "gradients tells\n"
    "how much noise each rounded value and weight brings to the outputs, and "
    "each layer is\n"
    "timed on this machine. The fastest recipe within the budget is made, "
    "measured, and\n"
    "corrected until it keeps the budget: SQNR is 20 log10(|x| / |x - y|) in "
    "dB, x float\n"
    "and y quantized. With --labels, a recipe is refused that loses "
    "significantly more\n"
    "points of top-1 than --max-drop (a paired test of both models on the same "
    "samples, at\n"
    "5 %). The table has each layer's choice, its part of the predicted noise "
    "and its time;\n"
    "the last line what was predicted and measured. A budget that no recipe "
    "with an int8\n"
    "layer keeps ends with exit status 1 and the best that can be had.\n\n"
    "The recipe is a qconfig mapping, from which ns quantize makes the same "
    "model:\n"
    "  ns search --float=F.pt --inputs=I.pt --budget=30dB "
    "--emit-qconfig=R.json\n"
    "  ns quantize --float=F.pt --inputs=I.pt --qconfig=R.json --out=Q.pt\n",
    kFlags,
    "ns search tools/demo/float.pt tools/demo/images.pt --budget=30dB "
    "--emit-qconfig=recipe.json",
    kPositionals,
};

struct Options {
  std::string float_path;
  std::string labels_path;
  std::string out_path;
  ModelGraphOptions model;
  RunFlags run;
  SearchOptions search;
  ReportOutputs outputs;
  ModelOrigin origin;
};

template <typename... Parts>
absl::Status Refused(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

absl::Status ParseLimit(const Flags& flags, Options& options) {
  if (flags.Has("budget") == flags.Has("labels")) {
    return Refused(flags.Has("budget")
                       ? "--budget and --labels both say what may be lost; "
                         "leave one out"
                       : "--budget=30dB or --labels=PATH has to say what may "
                         "be lost");
  }
  if (flags.Has("budget")) {
    if (flags.Has("max-drop")) {
      return Refused("--max-drop is for --labels; leave it out");
    }
    NS_ASSIGN_OR_RETURN(options.search.budget_db, ParseBudgetDb(flags));
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(options.labels_path, flags.Required("labels"));
  const std::string drop = flags.Get("max-drop", "0.5");
  if (!absl::SimpleAtod(drop, &options.search.max_drop) ||
      !(options.search.max_drop >= 0 && options.search.max_drop <= 100)) {
    return Refused("--max-drop=", drop,
                   " is no number of points; use one from 0 to 100");
  }
  return absl::OkStatus();
}

absl::Status ParseRecipe(const Flags& flags, QuantizeOptions& quantize) {
  NS_RETURN_IF_ERROR(ParseQuantizing(flags, quantize));
  if (quantize.methods.choose_observers) {
    return Refused("--observer=", kAutoObserver,
                   " is for ns quantize; name one observer");
  }
  NS_ASSIGN_OR_RETURN(const std::string correction,
                      flags.Choice("bias-correction", {"fast", "none"}));
  quantize.methods.bias_correction =
      correction == "fast" ? BiasCorrection::kFast : BiasCorrection::kNone;
  return absl::OkStatus();
}

absl::Status CheckPaths(const Options& options) {
  std::vector<PathFlag> inputs = {{"float", options.float_path}};
  for (const std::string& path : options.run.input_paths) {
    inputs.push_back({"inputs", path});
  }
  if (!options.labels_path.empty()) {
    inputs.push_back({"labels", options.labels_path});
  }
  const std::vector<PathFlag> files = {
      {"out", options.out_path},
      {"emit-qconfig", options.outputs.qconfig_path}};
  NS_RETURN_IF_ERROR(CheckAreFiles(files));
  return CheckDistinct(
      {files[0], files[1], {"json", options.outputs.json_path}}, inputs);
}

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.float_path, flags.Required("float"));
  NS_RETURN_IF_ERROR(flags.Required("inputs").status());
  NS_RETURN_IF_ERROR(ParseLimit(flags, options));
  NS_RETURN_IF_ERROR(ParseRecipe(flags, options.search.quantize));
  NS_ASSIGN_OR_RETURN(options.search.candidates, flags.List("candidates"));
  NS_RETURN_IF_ERROR(
      Annotated("--candidates", CheckCandidates(options.search.candidates)));
  NS_ASSIGN_OR_RETURN(options.run, ParseRunFlags(flags));
  NS_ASSIGN_OR_RETURN(options.outputs, ParseReportOutputs(flags));
  options.out_path = flags.Get("out");
  options.model.method = flags.Get("method", "forward");
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> leaves,
                      flags.List("leaf"));
  if (!leaves.empty()) {
    options.model.is_leaf = LeafTypes(leaves);
  }
  NS_RETURN_IF_ERROR(CheckPaths(options));
  options.origin = {flags.CommandText(), options.run.input_paths};
  options.origin.inputs.insert(options.origin.inputs.begin(),
                               options.float_path);
  return options;
}

absl::StatusOr<SearchResult> RunSearch(const Options& options) {
  NS_ASSIGN_OR_RETURN(const BatchReader batches, OpenBatches(options.run));
  SearchOptions search = options.search;
  if (!options.labels_path.empty()) {
    NS_ASSIGN_OR_RETURN(
        search.labels,
        LoadLabels(options.labels_path, batches.size(),
                   options.run.max_batches ? SurplusLabels::kIgnored
                                           : SurplusLabels::kRefused));
  }
  ProgressBar bar(options.outputs.quiet);
  search.progress = [&](int64_t done, int64_t total) {
    bar.Update(done, total);
  };
  NS_ASSIGN_OR_RETURN(const ModelGraph model,
                      ModelGraph::FromFile(options.float_path, options.model));
  search.model_name = options.float_path;
  search.labels_name = options.labels_path;
  return Search(model, batches, search);
}

absl::Status Run(const Options& options) {
  UseThreads(options.run);
  KeepFreedMemory();
  NS_RETURN_IF_ERROR(
      PrepareOutputs({options.out_path, options.outputs.qconfig_path,
                      options.outputs.json_path}));
  NS_ASSIGN_OR_RETURN(SearchResult result, RunSearch(options));
  absl::c_move(RandomInputsWarning(options.run.input_paths),
               std::back_inserter(result.warnings));
  ReportTexts texts;
  if (!options.out_path.empty()) {
    NS_ASSIGN_OR_RETURN(ModelGraph model, result.quantized->model.Clone());
    texts.files.push_back(
        ModelFile(std::move(model), options.out_path, options.origin));
  }
  texts.json = [&] {
    return SearchJson(result, options.float_path, options.out_path);
  };
  texts.qconfig = [&] { return QConfigMappingToJson(result.mapping); };
  texts.table = [&](const TableOptions& table) {
    return SearchTable(result, table);
  };
  texts.warnings = SearchWarnings(result);
  return WriteTexts(options.outputs, texts);
}

CommandOutcome RunCommand(const Flags& flags) {
  const absl::StatusOr<Options> options = ParseOptions(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  const absl::Status status = Run(*options);
  return absl::IsOutOfRange(status)
             ? CommandOutcome{ExitCode::kLimitCrossed, status}
             : CommandOutcome::Done(status);
}

}  // namespace

Command SearchCommand() { return {&kSpec, RunCommand}; }

}  // namespace ns
