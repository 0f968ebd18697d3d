#include <ATen/Context.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/findings/error_breakdown.h"
#include "ns/repro/layer_repro.h"
#include "ns/repro/layer_repro_files.h"
#include "ns/result/printable.h"
#include "ns/result/shell_word.h"
#include "ns/suite/check_related.h"
#include "ns/suite/compare_models.h"
#include "passes/matching/graph_matcher.h"
#include "tools/command_line/output_folder.h"
#include "tools/command_line/progress_bar.h"
#include "tools/command_line/report_output.h"
#include "tools/command_line/short_lines.h"
#include "tools/commands/commands.h"
#include "tools/flags/model_pair.h"
#include "tools/flags/run_flags.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    Heading("inputs"),
    {"float", "PATH", "the float model, saved by torch.jit.save"},
    {"quantized", "PATH", "the quantized model made from it"},
    kInputsFlag,
    {"max-batches", "N", "stop after N batches"},
    Heading("output"),
    {"out", "DIR", "the folder for the files, new or of an earlier run"},
    {"layer", "NAME",
     "the layer, as ns match names it; default: the one with the lowest local "
     "SQNR"},
    {"quiet", "", "no summary, no progress"},
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
     "what ops of your own take and return: OP=float, OP=int8 or OP=either, "
     "with commas"},
    Heading("advanced"),
    {"method", "NAME", "the method to compare; default forward"},
    {"engine", "NAME",
     "of those that ns --version lists; default: the first that can load the "
     "model"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the models, with commas"},
    {"threads", "N", "threads within one op; default: all that it may use"},
};

constexpr absl::string_view kPositionals[] = {"float", "quantized", "inputs"};

constexpr CommandSpec kSpec = {
    "repro",
    "writes the smallest module pair that shows a layer's own error",
    "ns repro FLOAT QUANTIZED INPUTS --out=DIR [--flag=value ...]",
    "Writes float.pt and quantized.pt, the layer of each model alone, "
    "inputs.pt, what\n"
    "flows into it in the quantized model, and repro.py, which runs both and "
    "prints the\n"
    "SQNR; it needs torch alone. One batch is kept, and as few of its samples "
    "(of the\n"
    "first dimension), and as few output channels of a linear layer or "
    "convolution, as\n"
    "show the error: the SQNR is at most 1 dB better than that of all data.\n",
    kFlags,
    "ns repro tools/demo/float.pt tools/demo/quantized.pt "
    "tools/demo/images.pt -o repro",
    kPositionals,
};

struct Options {
  ModelPairOptions models;
  MatchOptions match;
  OpIoTypes io_types;
  RunFlags run;
  std::string out;
  // Empty for the worst offender.
  std::string layer;
  bool quiet = false;
};

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.models, ParseModelPair(flags));
  NS_RETURN_IF_ERROR(flags.Required("inputs").status());
  NS_ASSIGN_OR_RETURN(options.out, flags.Required("out"));
  if (flags.Has("layer")) {
    NS_ASSIGN_OR_RETURN(options.layer, flags.Required("layer"));
  }
  NS_ASSIGN_OR_RETURN(options.match, ParseMatchOptions(flags));
  NS_ASSIGN_OR_RETURN(options.io_types, ParseIoTypes(flags));
  NS_ASSIGN_OR_RETURN(options.run, ParseRunFlags(flags));
  options.quiet = flags.Has("quiet");
  std::vector<PathFlag> inputs = {{"float", options.models.float_path},
                                  {"quantized", options.models.quantized_path}};
  for (const std::string& path : options.run.input_paths) {
    inputs.push_back({"inputs", path});
  }
  std::vector<PathFlag> outputs;
  for (const std::string& path : ReproPaths(options.out)) {
    outputs.push_back({"out", path});
  }
  NS_RETURN_IF_ERROR(CheckDistinct(outputs, inputs));
  NS_RETURN_IF_ERROR(Annotated("--out", CheckIsReproFolder(options.out)));
  return options;
}

// A layer, and which of its outputs to look at.
struct ChosenLayer {
  size_t match = 0;
  size_t output = 0;
};

absl::StatusOr<ChosenLayer> WorstLayer(const ModelPair& models,
                                       const BatchReader& batches,
                                       const Options& options) {
  ProgressBar bar(options.quiet);
  CompareOptions compare;
  compare.match = options.match;
  compare.weights = false;
  compare.shadows = true;
  compare.io_types = options.io_types;
  compare.progress = [&](int64_t done, int64_t total) {
    bar.Update(done, total);
  };
  NS_ASSIGN_OR_RETURN(const ComparisonResult result,
                      CompareModels(models.float_model, models.quantized_model,
                                    batches, compare));
  const std::optional<size_t> worst = MostHarmful(result);
  if (!worst) {
    return Refusal(absl::StrCat(
        options.models.quantized_path, ": ",
        result.inputs_are_finite
            ? "no layer adds an error of its own on these inputs"
            : "inputs hold NaN or infinities, for which no layer is to blame",
        "; name one with --layer"));
  }
  const OutputComparison* output = OffendingOutput(result.layers[*worst]);
  return ChosenLayer{
      *worst, output == nullptr ? 0 : static_cast<size_t>(output->index)};
}

// Sets `wrong_usage` where no layer has the name that was asked for.
absl::StatusOr<LayerRepro> MakeRepro(const ModelPair& models,
                                     const BatchReader& batches,
                                     const Options& options,
                                     absl::Status& wrong_usage) {
  NS_ASSIGN_OR_RETURN(const MatchResult matches,
                      MatchSubgraphs(models.float_model, models.quantized_model,
                                     options.match));
  NS_RETURN_IF_ERROR(
      CheckRelated(models.float_model, models.quantized_model, matches)
          .status());
  ChosenLayer layer;
  if (options.layer.empty()) {
    NS_ASSIGN_OR_RETURN(layer, WorstLayer(models, batches, options));
  } else {
    const absl::StatusOr<size_t> match =
        FindMatchByName(matches, options.layer);
    if (!match.ok()) {
      wrong_usage = Annotated("--layer", match.status());
      return wrong_usage;
    }
    layer.match = *match;
  }
  ProgressBar bar(options.quiet);
  LayerReproOptions repro;
  repro.output = layer.output;
  repro.io_types = options.io_types;
  repro.progress = [&](int64_t done, int64_t total) {
    bar.Update(done, total);
  };
  absl::StatusOr<LayerRepro> made =
      MakeLayerRepro(models.float_model, models.quantized_model,
                     matches.matches[layer.match], batches, repro);
  if (IsRefusal(made.status()) && options.layer.empty()) {
    return Refusal(absl::StrCat(made.status().message(),
                                "; it has the largest error of its own: name "
                                "another with --layer"));
  }
  return made;
}

std::string Db(const PairStatistics& statistics) {
  const double sqnr_db = statistics.SqnrDb();
  return std::isnan(sqnr_db) ? "nan dB" : absl::StrFormat("%.2f dB", sqnr_db);
}

std::string ShapeText(const at::Tensor& tensor) {
  std::string text;
  for (const int64_t size : tensor.sizes()) {
    absl::StrAppend(&text, text.empty() ? "" : "x", size);
  }
  return text.empty() ? "a number" : text;
}

std::string Summary(const LayerRepro& repro,
                    const std::vector<WrittenFile>& files) {
  std::string text = absl::StrCat("layer   ", Printable(repro.layer), " (",
                                  Printable(repro.op), ")\n");
  absl::StrAppend(&text, "SQNR    ", Db(repro.of_all), " on all data, ",
                  Db(repro.of_kept), " on what is kept\n");
  absl::StrAppend(&text, "kept    batch ", repro.batch, " of batches 0 to ",
                  repro.batches - 1);
  if (repro.samples_in_batch > 1) {
    absl::StrAppend(&text, ", ", repro.samples.size(), " of its ",
                    repro.samples_in_batch, " samples, from number ",
                    repro.samples.begin);
  }
  if (repro.channels_in_layer > 1) {
    absl::StrAppend(&text, ", ", repro.channels.size(), " of ",
                    repro.channels_in_layer, " channels, from number ",
                    repro.channels.begin);
  }
  absl::StrAppend(&text, "\ninputs  ");
  for (size_t i = 0; i < repro.inputs.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", ShapeText(repro.inputs[i]));
  }
  for (const WrittenFile& file : files) {
    absl::StrAppend(&text, "\nwrote   ", Printable(file.path), ", ", file.bytes,
                    " bytes");
  }
  absl::StrAppend(&text, "\nrun     python3 ", ShellWord(files.back().path),
                  "\n");
  return text;
}

absl::Status Reproduce(const Options& options, absl::Status& wrong_usage) {
  UseThreads(options.run);
  NS_ASSIGN_OR_RETURN(const BatchReader batches, OpenBatches(options.run));
  std::optional<LayerRepro> repro;
  std::string engine;
  NS_RETURN_IF_ERROR(
      WithModels(options.models, [&](ModelPair& models) -> absl::Status {
        NS_ASSIGN_OR_RETURN(repro,
                            MakeRepro(models, batches, options, wrong_usage));
        engine = absl::AsciiStrToLower(toString(at::globalContext().qEngine()));
        return absl::OkStatus();
      }));
  NS_ASSIGN_OR_RETURN(const std::vector<WrittenFile> files,
                      WriteLayerRepro(*repro, engine, options.out));
  if (const std::string op = NeedsOpLibrary(repro->layers); !op.empty()) {
    std::fprintf(stderr,
                 "ns: warning: the layer runs %s, which torch does not have; "
                 "give repro.py the library of it (libns_ops.so for ns:: ops) "
                 "as an argument\n",
                 ShortLines(Printable(op)).c_str());
  }
  if (!options.quiet) {
    std::fputs(ShortLines(Summary(*repro, files)).c_str(), stdout);
  }
  return absl::OkStatus();
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<Options> options = ParseOptions(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  const absl::StatusOr<bool> is_new = MakeOutputFolder(options->out);
  if (!is_new.ok()) {
    return CommandOutcome::Failed(is_new.status());
  }
  absl::Status status = PrepareOutputs(ReproPaths(options->out));
  absl::Status wrong_usage;
  if (status.ok()) {
    status = Reproduce(*options, wrong_usage);
  }
  if (!status.ok() && *is_new) {
    std::error_code ignored;
    std::filesystem::remove(options->out, ignored);
  }
  return wrong_usage.ok() ? CommandOutcome::Done(status)
                          : CommandOutcome::WrongUsage(wrong_usage);
}

}  // namespace

Command ReproCommand() { return {&kSpec, Run}; }

}  // namespace ns
