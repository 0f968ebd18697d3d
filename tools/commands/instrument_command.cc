#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/result/printable.h"
#include "ns/suite/check_related.h"
#include "passes/instrument/add_loggers.h"
#include "passes/instrument/add_shadow_loggers.h"
#include "passes/instrument/scripted_logger.h"
#include "passes/matching/graph_matcher.h"
#include "tools/command_line/report_output.h"
#include "tools/command_line/short_lines.h"
#include "tools/commands/commands.h"
#include "tools/flags/model_pair.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    Heading("inputs"),
    {"float", "PATH", "the float model, saved by torch.jit.save"},
    {"quantized", "PATH", "the quantized model made from it"},
    Heading("output"),
    {"out-float", "PATH",
     "where the instrumented float model goes; with shadows, optional: the "
     "float model without loggers"},
    {"out-quantized", "PATH", "where the instrumented quantized model goes"},
    {"quiet", "", "do not say what was written, and what comes next"},
    Heading("what to insert"),
    {"what", "WHAT",
     "activations (default): loggers in both models; or shadows: the "
     "quantized model with the float layers beside its own"},
    {"logger", "PATH",
     "a logger of your own in place of one that keeps every value: a module "
     "saved by torch.jit.save with forward(value: Tensor) -> Tensor; each "
     "place gets a copy"},
    {"log-inputs", "", "also log the inputs of every matched subgraph"},
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
    {"io-type", "TYPES",
     "what ops of your own take and return, for shadows: OP=float, OP=int8 or "
     "OP=either, with commas"},
    Heading("advanced"),
    {"method", "NAME", "the method to instrument; default forward"},
    {"engine", "NAME",
     "of those that ns --version lists; default: the first that can load the "
     "model"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the models, with commas"},
};

constexpr absl::string_view kPositionals[] = {"float", "quantized"};

constexpr CommandSpec kSpec = {
    "instrument",
    "saves both models with loggers on their matched ops",
    "ns instrument FLOAT QUANTIZED --out-float=PATH --out-quantized=PATH "
    "[--flag=value ...]",
    "The modules compute what they did, and keep what passes their loggers.\n"
    "To run them elsewhere, load the op library first:\n"
    "torch.ops.load_library('bazel-bin/libns_ops.so').\n",
    kFlags,
    "ns instrument tools/demo/float.pt tools/demo/quantized.pt "
    "--out-float=float_logged.pt "
    "--out-quantized=quantized_logged.pt",
    kPositionals,
};

struct Options {
  ModelPairOptions models;
  bool shadows = false;
  MatchOptions match;
  LoggerOptions loggers;
  // The file of a scripted logger; empty for loggers that keep every value.
  std::string logger_path;
  std::string out_float;
  std::string out_quantized;
  bool quiet = false;
};

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.models, ParseModelPair(flags));
  NS_ASSIGN_OR_RETURN(const std::string what,
                      flags.Choice("what", {"activations", "shadows"}));
  options.shadows = what == "shadows";
  if (!options.shadows || flags.Has("out-float")) {
    NS_ASSIGN_OR_RETURN(options.out_float, flags.Required("out-float"));
  }
  NS_ASSIGN_OR_RETURN(options.out_quantized, flags.Required("out-quantized"));
  NS_ASSIGN_OR_RETURN(options.match, ParseMatchOptions(flags));
  std::vector<PathFlag> inputs = {{"float", options.models.float_path},
                                  {"quantized", options.models.quantized_path}};
  if (flags.Has("logger")) {
    NS_ASSIGN_OR_RETURN(options.logger_path, flags.Required("logger"));
    inputs.push_back({"logger", options.logger_path});
  }
  const std::vector<PathFlag> outputs = {
      {"out-float", options.out_float},
      {"out-quantized", options.out_quantized}};
  NS_RETURN_IF_ERROR(CheckAreFiles(outputs));
  NS_RETURN_IF_ERROR(CheckDistinct(outputs, inputs));
  NS_ASSIGN_OR_RETURN(options.loggers.io_types, ParseIoTypes(flags));
  options.loggers.should_log_inputs = flags.Has("log-inputs");
  options.quiet = flags.Has("quiet");
  return options;
}

constexpr char kFloat[] = "float";
constexpr char kQuantized[] = "quantized";

// Both return how many layers have loggers.
absl::StatusOr<size_t> Log(ModelPair& models, const MatchResult& matches,
                           const LoggerOptions& options) {
  NS_RETURN_IF_ERROR(AddLoggers(kFloat, models.float_model, kQuantized,
                                models.quantized_model, matches, options));
  return matches.matches.size();
}

absl::StatusOr<size_t> Shadow(ModelPair& models, const MatchResult& matches,
                              const LoggerOptions& options) {
  NS_ASSIGN_OR_RETURN(
      const std::vector<NotShadowedMatch> not_shadowed,
      AddShadowLoggers(kFloat, models.float_model, kQuantized,
                       models.quantized_model, matches, options));
  for (const NotShadowedMatch& match : not_shadowed) {
    const std::string warning =
        absl::StrCat(match.name, " is not shadowed: ", match.reason);
    std::fprintf(stderr, "ns: warning: %s\n",
                 ShortLines(Printable(warning)).c_str());
  }
  return matches.matches.size() - not_shadowed.size();
}

// Says what was written, and how to read what the loggers keep.
void PrintNextSteps(const Options& options, size_t layers) {
  const std::string out = Printable(options.out_quantized);
  const std::string text = absl::StrCat(
      Printable(options.out_float), options.out_float.empty() ? "" : ", ", out,
      ": ", layers, layers == 1 ? " layer" : " layers",
      options.shadows ? " with a float shadow and loggers\n"
                      : " with loggers\n",
      "To read in Python what they keep:\n"
      "  torch.ops.load_library('bazel-bin/libns_ops.so')\n"
      "  model = torch.jit.load('",
      out,
      "')\n"
      "  model(x)\n"
      "  model.ns_logger_0_info, model.ns_logger_0",
      options.logger_path.empty() ? ".get_stats()" : "", "\n");
  std::printf("%s", ShortLines(text).c_str());
}

absl::Status Instrument(const Options& options) {
  NS_RETURN_IF_ERROR(
      PrepareOutputs({options.out_float, options.out_quantized}));
  return WithModels(options.models, [&](ModelPair& models) -> absl::Status {
    LoggerOptions loggers = options.loggers;
    if (!options.logger_path.empty()) {
      NS_ASSIGN_OR_RETURN(loggers.logger,
                          LoadScriptedLogger(options.logger_path));
    }
    NS_ASSIGN_OR_RETURN(const MatchResult matches,
                        MatchSubgraphs(models.float_model,
                                       models.quantized_model, options.match));
    NS_RETURN_IF_ERROR(
        CheckRelated(models.float_model, models.quantized_model, matches)
            .status());
    NS_ASSIGN_OR_RETURN(const size_t layers,
                        options.shadows ? Shadow(models, matches, loggers)
                                        : Log(models, matches, loggers));
    std::vector<ModelToSave> files = {
        {&models.quantized_model, options.out_quantized}};
    if (!options.out_float.empty()) {
      files.push_back({&models.float_model, options.out_float});
    }
    NS_RETURN_IF_ERROR(SaveModels(files));
    if (!options.quiet) {
      PrintNextSteps(options, layers);
    }
    return absl::OkStatus();
  });
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<Options> options = ParseOptions(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  const absl::Status status = Instrument(*options);
  return status.ok() ? CommandOutcome() : CommandOutcome::Failed(status);
}

}  // namespace

Command InstrumentCommand() { return {&kSpec, Run}; }

}  // namespace ns
