#include "tools/commands/ns_opt.h"

#include <torch/csrc/jit/ir/ir.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/base/status.h"
#include "ir/files/atomic_file.h"
#include "ir/graph/pass_context.h"
#include "ir/graph/verifier.h"
#include "ir/model/model_graph.h"
#include "ir/model/pass_runner.h"
#include "ir/text/text.h"
#include "ns/compare/engines.h"
#include "ns/result/printable.h"
#include "passes/pipeline/pair_pipeline.h"
#include "passes/registry/parse_pipeline.h"
#include "passes/registry/pass_registry.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/help_text.h"
#include "tools/command_line/report_output.h"
#include "tools/command_line/short_lines.h"
#include "tools/command_line/standard_streams.h"
#include "tools/commands/commands.h"
#include "tools/commands/run_tool.h"
#include "tools/flags/engine_flag.h"
#include "tools/flags/op_libraries.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"passes", "LIST", "the passes to run, in order: a,b{option=value,...}"},
    {"model", "PATH",
     "the model to rewrite, saved by torch.jit.save; default: the IR text of "
     "standard input"},
    {"float", "PATH",
     "the float model, for passes of two models; --model is then the quantized "
     "one"},
    {"out", "PATH",
     "where the rewritten model goes; default: its IR to standard output"},
    {"out-float", "PATH", "where the rewritten float model goes"},
    {"raw", "",
     "take models as they were saved: neither inlined nor frozen before the "
     "passes run"},
    {"list-passes", "",
     "print a line for each pass: its name, a tab, what it does"},
    {"print-before", "NAME", "print the IR before this pass to standard error"},
    {"print-after", "NAME", "print the IR after this pass to standard error"},
    {"print-after-all", "", "print the IR after every pass to standard error"},
    {"dump-dir", "FOLDER",
     "write the IR after every pass to NNN-after-NAME.ir files there"},
    {"bisect-limit", "N", "run only the first N passes"},
    {"time-passes", "",
     "print the time of each pass and whether it changed anything to standard "
     "error"},
    {"print-remarks", "",
     "print why ops stayed as they were to standard error"},
    {"method", "NAME", "the method of the models; default forward"},
    {"engine", "NAME",
     "of those that ns --version lists; default: the first that can load the "
     "models"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the models, with commas"},
};

constexpr CommandSpec kSpec = {
    "ns_opt",
    "runs passes",
    "ns_opt --passes=LIST [--flag=value ...] < in.ir > out.ir\n"
    "       ns_opt --passes=LIST --model=PATH --out=PATH [--flag=value ...]",
    "A graph that a pass leaves malformed is an error that names the pass.\n",
    kFlags,
    "ns_opt --passes=lower-to-fbgemm "
    "--model=tools/demo/quantized.pt --out=lowered.pt --print-remarks",
};

struct Options {
  std::string model;
  std::string float_model;
  std::string out;
  std::string out_float;
  std::string engine;
  std::string method;
  bool raw = false;
  std::string print_before;
  std::string print_after;
  bool print_after_all = false;
  std::string dump_dir;
  std::optional<int64_t> bisect_limit;
  bool time_passes = false;
  bool print_remarks = false;
};

absl::StatusOr<Options> ParseOptions(const Flags& flags,
                                     const PairPipeline& pipeline) {
  Options options;
  options.model = flags.Get("model");
  options.float_model = flags.Get("float");
  options.out = flags.Get("out");
  options.out_float = flags.Get("out-float");
  options.method = flags.Get("method", "forward");
  options.raw = flags.Has("raw");
  options.print_before = flags.Get("print-before");
  options.print_after = flags.Get("print-after");
  options.print_after_all = flags.Has("print-after-all");
  options.dump_dir = flags.Get("dump-dir");
  options.time_passes = flags.Has("time-passes");
  options.print_remarks = flags.Has("print-remarks");
  NS_ASSIGN_OR_RETURN(options.bisect_limit, flags.Number("bisect-limit", 0));
  NS_ASSIGN_OR_RETURN(options.engine, ParseEngine(flags));
  if (!pipeline.FirstOfTwoModels().empty() && options.float_model.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("pass '", pipeline.FirstOfTwoModels(),
                     "' needs two models; give --float and --model"));
  }
  if (!options.float_model.empty() && options.model.empty()) {
    return absl::InvalidArgumentError(
        "--float is given without --model, the quantized model");
  }
  if (options.model.empty() &&
      (!options.out.empty() || !options.out_float.empty())) {
    return absl::InvalidArgumentError(
        "--out is given without --model; the text of a graph goes to standard "
        "output");
  }
  if (options.float_model.empty() && !options.out_float.empty()) {
    return absl::InvalidArgumentError("--out-float is given without --float");
  }
  for (const auto& [flag, pass] :
       {std::pair("--print-before", options.print_before),
        std::pair("--print-after", options.print_after)}) {
    if (!pass.empty() &&
        absl::c_none_of(AllPasses(), [name = pass](const PassEntry& entry) {
          return entry.name == name;
        })) {
      return absl::InvalidArgumentError(
          absl::StrCat(flag, "=", pass, ": unknown pass; see --list-passes"));
    }
  }
  const std::vector<PathFlag> outputs = {{"out", options.out},
                                         {"out-float", options.out_float}};
  NS_RETURN_IF_ERROR(CheckAreFiles(outputs));
  NS_RETURN_IF_ERROR(CheckDistinct(
      outputs, {{"model", options.model}, {"float", options.float_model}}));
  return options;
}

// Shows what happens in a run: IR, times and remarks.
class Display {
 public:
  // `options` must outlive the object. `float_model` is null where there is one
  // model only.
  Display(const Options& options, const ModelGraph* float_model)
      : options_(options), float_model_(float_model) {
    run_.bisect_limit = options.bisect_limit.value_or(-1);
    run_.check_unchanged = true;
    run_.before = [this](int64_t /*index*/, absl::string_view pass,
                         const ModelGraph& model) {
      if (pass == options_.print_before) {
        Print("before", pass, model);
      }
      return absl::OkStatus();
    };
    run_.after = [this](int64_t index, absl::string_view pass,
                        const ModelGraph& model) {
      if (options_.print_after_all || pass == options_.print_after) {
        Print("after", pass, model);
      }
      return options_.dump_dir.empty() ? absl::OkStatus()
                                       : Dump(index, pass, model);
    };
  }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  const PassRunOptions& run() const { return run_; }

  void PrintRecords(const std::vector<PassRecord>& records) const {
    if (!options_.time_passes) {
      return;
    }
    for (const PassRecord& record : records) {
      std::fprintf(
          stderr, "%10.3f ms  %-9s  %s\n",
          std::chrono::duration<double, std::milli>(record.time).count(),
          record.changed ? "changed" : "unchanged", record.pass.c_str());
    }
  }

  void PrintRemarks(const PassContext& context) const {
    if (!options_.print_remarks) {
      return;
    }
    for (const PassRemark& remark : context.remarks()) {
      const std::string line = absl::StrCat(remark.pass, ": ", remark.name,
                                            remark.name.empty() ? "" : "  ",
                                            remark.op, ": ", remark.reason);
      std::fprintf(stderr, "%s\n", ShortLines(Printable(line)).c_str());
    }
  }

 private:
  // Says which of two models it is; empty for the only one.
  std::string NameOf(const ModelGraph& model) const {
    return float_model_ == nullptr  ? ""
           : &model == float_model_ ? "float"
                                    : "quantized";
  }

  void Print(const char* when, absl::string_view pass,
             const ModelGraph& model) const {
    const std::string name = NameOf(model);
    std::fprintf(stderr, "# %s %s%s%s\n%s", when, std::string(pass).c_str(),
                 name.empty() ? "" : ", ", name.c_str(),
                 model.graph().toString(false).c_str());
  }

  absl::Status Dump(int64_t index, absl::string_view pass,
                    const ModelGraph& model) const {
    const std::string name = NameOf(model);
    const std::string path =
        absl::StrFormat("%s/%03d-after-%s%s%s.ir", options_.dump_dir, index + 1,
                        pass, name.empty() ? "" : "-", name);
    return WriteFileAtomically(path, model.graph().toString(false));
  }

  const Options& options_;
  const ModelGraph* const float_model_;
  PassRunOptions run_;
};

absl::StatusOr<ModelGraph> ReadGraph() {
  const std::string text((std::istreambuf_iterator<char>(std::cin)),
                         std::istreambuf_iterator<char>());
  const absl::StatusOr<std::shared_ptr<torch::jit::Graph>> graph =
      ParseGraph(text);
  absl::Status status = graph.status();
  if (status.ok()) {
    status = VerifyGraph(**graph);
  }
  // Whatever is wrong with the text is an error of the caller.
  return status.ok()
             ? absl::StatusOr<ModelGraph>(ModelGraph::AroundGraph(*graph))
             : absl::InvalidArgumentError(
                   absl::StrCat("standard input: ", status.message()));
}

absl::StatusOr<ModelGraph> LoadModel(const std::string& path,
                                     const Options& options) {
  ModelGraphOptions load;
  load.method = options.method;
  load.as_it_is = options.raw;
  return ModelGraph::FromFile(path, load);
}

// Loads the models at `paths`, under the engine that can load all of them.
absl::StatusOr<std::vector<ModelGraph>> LoadModels(
    const std::vector<std::string>& paths, const Options& options) {
  std::vector<ModelGraph> models;
  NS_RETURN_IF_ERROR(WithEngine(options.engine, [&]() -> absl::Status {
    models.clear();
    for (const std::string& path : paths) {
      NS_ASSIGN_OR_RETURN(ModelGraph model, LoadModel(path, options));
      models.push_back(std::move(model));
    }
    return absl::OkStatus();
  }));
  return models;
}

absl::Status PrintGraph(const ModelGraph& model) {
  return WriteToStandardOutput(model.graph().toString(false));
}

absl::Status RunOnGraphText(const PairPipeline& pipeline,
                            const Options& options) {
  NS_ASSIGN_OR_RETURN(ModelGraph model, ReadGraph());
  const Display display(options, nullptr);
  PassContext context;
  NS_ASSIGN_OR_RETURN(const std::vector<PassRecord> records,
                      pipeline.Run(model, context, display.run()));
  display.PrintRecords(records);
  display.PrintRemarks(context);
  return PrintGraph(model);
}

absl::Status RunOnModel(const PairPipeline& pipeline, const Options& options) {
  NS_ASSIGN_OR_RETURN(std::vector<ModelGraph> loaded,
                      LoadModels({options.model}, options));
  ModelGraph& model = loaded[0];
  const Display display(options, nullptr);
  PassContext context;
  NS_ASSIGN_OR_RETURN(const std::vector<PassRecord> records,
                      pipeline.Run(model, context, display.run()));
  display.PrintRecords(records);
  display.PrintRemarks(context);
  return options.out.empty() ? PrintGraph(model) : model.Save(options.out);
}

absl::Status RunOnTwoModels(const PairPipeline& pipeline,
                            const Options& options) {
  NS_ASSIGN_OR_RETURN(
      std::vector<ModelGraph> loaded,
      LoadModels({options.float_model, options.model}, options));
  MatchedModels models = {std::move(loaded[0]), std::move(loaded[1]),
                          std::nullopt};
  const Display display(options, &models.a);
  PassContext context;
  NS_ASSIGN_OR_RETURN(const std::vector<PassRecord> records,
                      pipeline.Run(models, context, display.run()));
  display.PrintRecords(records);
  display.PrintRemarks(context);
  std::vector<ModelToSave> files;
  if (!options.out_float.empty()) {
    files.push_back({&models.a, options.out_float});
  }
  if (!options.out.empty()) {
    files.push_back({&models.b, options.out});
  }
  NS_RETURN_IF_ERROR(SaveModels(files));
  return options.out.empty() ? PrintGraph(models.b) : absl::OkStatus();
}

absl::Status RunPasses(const PairPipeline& pipeline, const Options& options) {
  if (options.model.empty()) {
    return RunOnGraphText(pipeline, options);
  }
  NS_RETURN_IF_ERROR(PrepareOutputs({options.out, options.out_float}));
  return options.float_model.empty() ? RunOnModel(pipeline, options)
                                     : RunOnTwoModels(pipeline, options);
}

std::string PassList() {
  std::string text;
  for (const PassEntry& entry : AllPasses()) {
    absl::StrAppend(&text, entry.name, "\t", entry.description, "\n");
    for (const PassOption& option : entry.options) {
      absl::StrAppend(&text, "\t", OptionText(option), "\t", option.help, "\n");
    }
  }
  return text;
}

CommandOutcome Run(const std::vector<std::string>& arguments) {
  if (absl::c_linear_search(arguments, "--help") ||
      absl::c_linear_search(arguments, "-h")) {
    return CommandOutcome::Done(
        WriteToStandardOutput(HelpText(kSpec, HelpWidth())));
  }
  const absl::StatusOr<Flags> flags = Flags::Parse(arguments, kSpec);
  if (!flags.ok()) {
    return CommandOutcome::WrongUsage(flags.status());
  }
  if (flags->Has("list-passes")) {
    return CommandOutcome::Done(WriteToStandardOutput(PassList()));
  }
  const absl::StatusOr<std::string> passes = flags->Required("passes");
  if (!passes.ok()) {
    return CommandOutcome::WrongUsage(passes.status());
  }
  const absl::StatusOr<PairPipeline> pipeline = ParsePipeline(*passes);
  if (!pipeline.ok()) {
    return CommandOutcome::WrongUsage(pipeline.status());
  }
  const absl::StatusOr<Options> options = ParseOptions(*flags, *pipeline);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  absl::Status status = LoadOpLibraries(*flags);
  if (status.ok()) {
    status = WithLibraryHint(RunPasses(*pipeline, *options));
  }
  return CommandOutcome::Done(status);
}

}  // namespace

int RunNsOpt(const std::vector<std::string>& arguments) {
  return RunTool("ns_opt", [&] { return Run(arguments); });
}

}  // namespace ns
