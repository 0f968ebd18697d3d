#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/files/atomic_file.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "ir/model/pipeline.h"
#include "ns/batches/batch_reader.h"
#include "ns/compare/engines.h"
#include "ns/compare/lowered_outputs.h"
#include "ns/result/printable.h"
#include "passes/kernels/isa.h"
#include "passes/kernels/saturation_mode.h"
#include "passes/lowering/drop_roundings.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "tools/command_line/output_files.h"
#include "tools/command_line/report_output.h"
#include "tools/command_line/short_lines.h"
#include "tools/commands/commands.h"
#include "tools/flags/engine_flag.h"
#include "tools/flags/run_flags.h"

namespace ns {
namespace {

// The name of the pass, and of its remarks.
constexpr absl::string_view kDropRoundings = "drop-roundings";

constexpr FlagSpec kFlags[] = {
    Heading("inputs and output"),
    {"in", "PATH", "the quantized model, saved by torch.jit.save"},
    {"out", "PATH", "where the lowered model goes"},
    {"quiet", "", "do not list what was lowered and what was not"},
    Heading("numerics"),
    {"numerics", "NAME",
     "exact (default): no sum of products saturates; fbgemm-vnni, fbgemm-avx2: "
     "those saturate that do in fbgemm on a machine with, or without, VNNI. "
     "Also --emulate, as of ns compare",
     false, "emulate"},
    {"fuse-sums", "",
     "fuse convolutions into the adds behind them, which rounds once less than "
     "fbgemm does"},
    {"fewer-roundings", "",
     "do not round outputs that are only dequantized or added; includes "
     "--fuse-sums"},
    Heading("what it does to the outputs"),
    {"float", "PATH",
     "the float model that the quantized one was made of; with --inputs: "
     "report the SQNR of the outputs before and after lowering"},
    kInputsFlag,
    {"max-batches", "N", "stop after N batches"},
    Heading("advanced"),
    {"method", "NAME", "the method to lower; default forward"},
    {"engine", "NAME",
     "of those that ns --version lists; default: the first that can load the "
     "model"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the model, with commas"},
    {"threads", "N", "threads within one op; default: all that it may use"},
};

constexpr absl::string_view kPositionals[] = {"in", "out"};

constexpr CommandSpec kSpec = {
    "lower",
    "replaces quantized ops by ns kernels, which compute what fbgemm does",
    "ns lower IN OUT [--flag=value ...]",
    "A reference model, which quantizes and dequantizes around float ops, is\n"
    "folded to quantized ops first. The lowered model runs wherever the op\n"
    "library is loaded; in Python,\n"
    "torch.ops.load_library('bazel-bin/libns_ops.so'). It depends on no\n"
    "instruction set: kernels choose theirs when they run (NS_KERNEL_ISA\n"
    "overrides). Checks of the model that only raise exceptions are gone:\n"
    "kernels check what they take. With --numerics=exact and the engine\n"
    "onednn, dynamic layers round their inputs as that engine does, which\n"
    "gives another integer than fbgemm for one value in about 100,000.\n",
    kFlags,
    "ns lower tools/demo/quantized.pt lowered.pt",
    kPositionals,
};

struct Options {
  std::string in;
  std::string out;
  // Empty where outputs are not compared.
  std::string float_path;
  RunFlags run;
  std::string engine;
  bool fewer_roundings = false;
  bool quiet = false;
  ModelGraphOptions model;
  LowerToFbgemmOptions lowering;
  ModelOrigin origin;
};

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.in, flags.Required("in"));
  NS_ASSIGN_OR_RETURN(options.out, flags.Required("out"));
  options.float_path = flags.Get("float");
  NS_ASSIGN_OR_RETURN(options.run, ParseRunFlags(flags));
  if (flags.Has("float") != flags.Has("inputs")) {
    return absl::InvalidArgumentError(
        "--float and --inputs belong together: they show what lowering does to "
        "the outputs");
  }
  const std::vector<PathFlag> outputs = {{"out", options.out}};
  std::vector<PathFlag> inputs = {{"in", options.in},
                                  {"float", options.float_path}};
  for (const std::string& path : options.run.input_paths) {
    inputs.push_back({"inputs", path});
  }
  NS_RETURN_IF_ERROR(CheckAreFiles(outputs));
  NS_RETURN_IF_ERROR(CheckDistinct(outputs, inputs));
  NS_ASSIGN_OR_RETURN(
      const std::string numerics,
      flags.Choice("numerics", {"exact", "fbgemm-vnni", "fbgemm-avx2"}));
  options.lowering.numerics = *kernels::FindSaturationMode(numerics);
  options.fewer_roundings = flags.Has("fewer-roundings");
  // DropRoundings fuses these sums, too, and counts them.
  options.lowering.fuse_sums =
      flags.Has("fuse-sums") && !options.fewer_roundings;
  options.model.method = flags.Get("method", "forward");
  NS_ASSIGN_OR_RETURN(options.engine, ParseEngine(flags));
  options.quiet = flags.Has("quiet");
  options.origin = {flags.CommandText(), {options.in}};
  return options;
}

// Prints the remarks of `pass`.
void PrintRemarks(const char* title, const PassContext& context,
                  absl::string_view pass) {
  bool is_first = true;
  for (const PassRemark& remark : context.remarks()) {
    if (remark.pass != pass) {
      continue;
    }
    if (is_first) {
      std::printf("%s:\n", title);
      is_first = false;
    }
    const std::string line =
        absl::StrCat(remark.name, remark.name.empty() ? "" : "  ", remark.op,
                     ": ", remark.reason);
    std::printf("  %s\n", ShortLines(Printable(line)).c_str());
  }
}

void PrintDropped(const DroppedRoundings& dropped) {
  std::printf(
      "dropped roundings: %lld of layer outputs, %lld of other outputs, %lld "
      "before sums\n",
      static_cast<long long>(dropped.layer_outputs),
      static_cast<long long>(dropped.other_outputs),
      static_cast<long long>(dropped.summands));
}

// Returns what lowering does to the SQNR of the outputs; nothing where the user
// gave no float model.
absl::StatusOr<std::string> OutputsText(
    const Options& options, const std::optional<ModelGraph>& quantized,
    const ModelGraph& lowered) {
  if (!quantized) {
    return "";
  }
  NS_ASSIGN_OR_RETURN(const ModelGraph float_model,
                      ModelGraph::FromFile(options.float_path, options.model));
  NS_ASSIGN_OR_RETURN(const BatchReader batches, OpenBatches(options.run));
  NS_ASSIGN_OR_RETURN(
      const std::vector<LoweredOutput> outputs,
      CompareLoweredOutputs(float_model, *quantized, lowered, batches));
  return absl::StrCat("SQNR of the outputs before and after, ", batches.size(),
                      batches.size() == 1 ? " batch:\n" : " batches:\n",
                      LoweredOutputsText(outputs));
}

// Why no op of the model at `path` was lowered.
absl::Status NothingLowered(const std::string& path, const PassContext& context,
                            absl::string_view pass) {
  const std::vector<PassRemark>& remarks = context.remarks();
  const auto left = std::find_if(
      remarks.begin(), remarks.end(),
      [&](const PassRemark& remark) { return remark.pass == pass; });
  return absl::InvalidArgumentError(
      left == remarks.end()
          ? absl::StrCat(path,
                         ": has no quantized op; give a model with quantized "
                         "ops")
          : absl::StrCat(path, ": none of its quantized ops can be lowered: ",
                         Printable(left->op), " stays with LibTorch, as ",
                         Printable(left->reason), "; run the model as it is"));
}

absl::Status LowerFile(const Options& options) {
  UseThreads(options.run);
  NS_RETURN_IF_ERROR(PrepareOutputs({options.out}));
  return WithEngine(options.engine, [&]() -> absl::Status {
    NS_ASSIGN_OR_RETURN(ModelGraph model,
                        ModelGraph::FromFile(options.in, options.model));
    std::optional<ModelGraph> quantized;
    if (!options.float_path.empty()) {
      NS_ASSIGN_OR_RETURN(quantized, model.Clone());
    }
    const FoldReferenceQuantization fold;
    const LowerToFbgemm lower(options.lowering);
    Pipeline pipeline("lower");
    pipeline.Add(std::make_unique<FoldReferenceQuantization>(fold))
        .Add(std::make_unique<LowerToFbgemm>(lower));
    PassContext context;
    NS_RETURN_IF_ERROR(pipeline.Run(model, context).status());
    const int64_t lowered = CountLoweredOps(model.graph());
    if (lowered == 0) {
      return NothingLowered(options.in, context, lower.name());
    }
    DroppedRoundings dropped;
    if (options.fewer_roundings) {
      context.set_pass(kDropRoundings);
      NS_ASSIGN_OR_RETURN(dropped, DropRoundings(model, context));
    }
    NS_ASSIGN_OR_RETURN(const std::string of_outputs,
                        OutputsText(options, quantized, model));
    NS_RETURN_IF_ERROR(WriteFilesAtomically(
        {ModelFile(std::move(model), options.out, options.origin)}));
    if (!options.quiet) {
      std::printf("%s: lowered %lld %s to ns kernels (%s)\n",
                  options.out.c_str(), static_cast<long long>(lowered),
                  lowered == 1 ? "op" : "ops",
                  absl::AsciiStrToUpper(kernels::IsaName(kernels::ChosenIsa()))
                      .c_str());
      PrintRemarks("left to LibTorch", context, lower.name());
      PrintRemarks("left in float", context, fold.name());
      if (options.fewer_roundings) {
        PrintDropped(dropped);
        PrintRemarks("roundings left", context, kDropRoundings);
      }
      std::printf("%s", ShortLines(of_outputs).c_str());
    }
    return absl::OkStatus();
  });
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<Options> options = ParseOptions(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  const absl::Status status = LowerFile(*options);
  return status.ok() ? CommandOutcome() : CommandOutcome::Failed(status);
}

}  // namespace

Command LowerCommand() { return {&kSpec, Run}; }

}  // namespace ns
