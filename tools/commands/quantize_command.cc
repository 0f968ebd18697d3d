#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/noise_warning.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/quantized_engine.h"
#include "ns/quantization/quantize.h"
#include "ns/quantization/report/quantize_json.h"
#include "ns/quantization/report/quantize_summary.h"
#include "ns/quantization/report/quantize_table.h"
#include "passes/quantization/layers/keep_list.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/qconfig_json.h"
#include "tools/command_line/keep_memory.h"
#include "tools/command_line/output_files.h"
#include "tools/command_line/progress_bar.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"
#include "tools/commands/quantize/quantize_modules.h"
#include "tools/commands/quantize/quantize_within_budget.h"
#include "tools/commands/quantize/train_model.h"
#include "tools/flags/quantize_flags.h"
#include "tools/flags/quantize_spec.h"
#include "tools/flags/run_flags.h"

namespace ns {
namespace {

// Makes the quantized model of one command.
class QuantizeRunner {
 public:
  // `batches` must outlive the object.
  QuantizeRunner(QuantizeFlags flags, const BatchReader& batches)
      : flags_(std::move(flags)), batches_(batches) {
    flags_.options.progress = [this](int64_t done, int64_t total) {
      bar_.Update(done, total);
      ReturnFreedMemory();
    };
  }
  // The progress holds the address.
  QuantizeRunner(const QuantizeRunner&) = delete;
  QuantizeRunner& operator=(const QuantizeRunner&) = delete;

  // Makes the models, which Files() writes. Error: which file is at fault.
  absl::StatusOr<QuantizeSummary> Run() {
    NS_ASSIGN_OR_RETURN(
        QuantizeSummary summary,
        flags_.budget_db
            ? QuantizeWithinBudget(flags_, batches_, flags_.options.progress,
                                   mapping_, files_)
        : flags_.training || flags_.eager ? RunOnModules()
                                          : RunOnGraph());
    Describe(summary);
    return summary;
  }

  // To be called before anything else is printed.
  void EraseProgress() { bar_.Erase(); }

  // The mapping that said how each layer is quantized.
  const QConfigMapping& Mapping() const { return mapping_; }

  // The models that were made, as files to write.
  const std::vector<FileToWrite>& Files() const { return files_; }

 private:
  absl::StatusOr<QuantizeSummary> RunOnGraph() {
    NS_ASSIGN_OR_RETURN(QuantizeResult result, Quantized());
    QuantizeSummary summary;
    summary.report = std::move(result.report);
    summary.outputs = std::move(result.outputs);
    summary.advice = std::move(result.advice);
    summary.headroom = result.headroom;
    mapping_ = std::move(result.mapping);
    files_.push_back(
        ModelFile(std::move(result.quantized), flags_.out_path, flags_.origin));
    if (!flags_.out_float_path.empty()) {
      files_.push_back(ModelFile(*std::move(result.rescaled),
                                 flags_.out_float_path, flags_.origin));
    }
    if (flags_.HasFloat() && !flags_.prepared_paths.empty()) {
      files_.push_back(ModelFile(std::move(result.prepared),
                                 flags_.prepared_paths.front(), flags_.origin));
    }
    return summary;
  }

  absl::StatusOr<QuantizeResult> Quantized() const {
    if (flags_.HasFloat()) {
      NS_ASSIGN_OR_RETURN(
          ModelGraph float_model,
          ModelGraph::FromFile(flags_.float_path, flags_.model));
      NS_ASSIGN_OR_RETURN(QuantizeResult result,
                          Quantize(float_model, batches_, flags_.options));
      if (!flags_.out_float_path.empty() && !result.rescaled) {
        result.rescaled = std::move(float_model);
      }
      return result;
    }
    NS_ASSIGN_OR_RETURN(ModelGraph prepared, MergeFiles());
    return QuantizePrepared(std::move(prepared), batches_, flags_.options);
  }

  // Trains the model, or quantizes its hierarchy of modules.
  absl::StatusOr<QuantizeSummary> RunOnModules() {
    NS_ASSIGN_OR_RETURN(QuantizeSummary summary,
                        flags_.training
                            ? TrainModel(flags_, batches_, bar_, files_)
                            : QuantizeModules(flags_, batches_,
                                              flags_.options.progress, files_));
    if (const std::string noisy = NoisyOutput(summary.outputs);
        !noisy.empty()) {
      summary.report.warnings.push_back(NoiseWarning(noisy));
    }
    return summary;
  }

  absl::StatusOr<ModelGraph> LoadPrepared(const std::string& path) const {
    ModelGraphOptions as_it_is = flags_.model;
    as_it_is.as_it_is = true;
    return ModelGraph::FromFile(path, as_it_is);
  }

  // Returns the model of the first prepared file, with what the observers of
  // all have seen.
  absl::StatusOr<ModelGraph> MergeFiles() const {
    const std::vector<std::string>& paths = flags_.prepared_paths;
    NS_ASSIGN_OR_RETURN(ModelGraph prepared, LoadPrepared(paths.front()));
    for (size_t i = 1; i < paths.size(); ++i) {
      NS_ASSIGN_OR_RETURN(const ModelGraph other, LoadPrepared(paths[i]));
      NS_RETURN_IF_ERROR(Annotated(paths[i], MergePrepared(prepared, other)));
    }
    return prepared;
  }

  void Describe(QuantizeSummary& summary) const {
    summary.float_path = flags_.float_path;
    if (!flags_.HasFloat()) {
      summary.prepared_paths = flags_.prepared_paths;
    }
    summary.out_path = flags_.out_path;
    summary.mode = flags_.mode;
    summary.backend = std::string(BackendName(flags_.options.backend));
    summary.batches = batches_.size();
  }

  QuantizeFlags flags_;
  const BatchReader& batches_;
  QConfigMapping mapping_ =
      flags_.options.mapping.value_or(DefaultMapping(flags_.options));
  ProgressBar bar_{flags_.outputs.quiet};
  std::vector<FileToWrite> files_;
};

// Returns an error where `rule`, which chose no layer, is a name of --keep. It
// names the layer that may have been meant: "--keep=cnv: ... did you mean
// 'conv'?".
absl::Status CheckKept(absl::string_view rule,
                       const QuantizationReport& report) {
  absl::string_view name = rule;
  if (!absl::ConsumePrefix(&name, "keep '") ||
      !absl::ConsumeSuffix(&name, "'") || !IsNameOfLayer(std::string(name))) {
    return absl::OkStatus();
  }
  std::vector<absl::string_view> layers;
  for (const LayerQuantization& layer : report.layers) {
    layers.push_back(layer.name);
  }
  for (const FloatLayer& layer : report.stayed_float) {
    layers.push_back(layer.name);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--keep=", name, ": no layer has this name; ",
      DidYouMean(name, layers, "ns inspect lists the layers of a model")));
}

absl::Status Report(const QuantizeFlags& flags, const QuantizeSummary& summary,
                    const QuantizeRunner& quantizer) {
  ReportTexts texts;
  texts.files = quantizer.Files();
  texts.json = [&] { return QuantizeJson(summary); };
  texts.qconfig = [&] { return QConfigMappingToJson(quantizer.Mapping()); };
  texts.table = [&](const TableOptions& options) {
    return QuantizeTable(summary, options);
  };
  texts.warnings = summary.report.warnings;
  const std::vector<std::string>& unused = summary.report.unused_rules;
  for (const std::string& rule : unused) {
    NS_RETURN_IF_ERROR(CheckKept(rule, summary.report));
  }
  if (!unused.empty()) {
    texts.warnings.push_back(absl::StrCat(
        "no layer has the ", unused.size() == 1 ? "rule " : "rules ",
        absl::StrJoin(unused, "; ")));
  }
  return WriteTexts(flags.outputs, texts);
}

// The files that the command writes.
std::vector<std::string> OutputsOf(const QuantizeFlags& flags) {
  std::vector<std::string> outputs = {flags.out_path, flags.out_float_path,
                                      flags.outputs.qconfig_path,
                                      flags.outputs.json_path};
  if (flags.training) {
    outputs.push_back(flags.training->options.checkpoint_path);
  }
  if (flags.HasFloat()) {
    outputs.insert(outputs.end(), flags.prepared_paths.begin(),
                   flags.prepared_paths.end());
  }
  return outputs;
}

absl::Status RunQuantize(QuantizeFlags flags) {
  UseThreads(flags.run);
  KeepFreedMemory();
  NS_RETURN_IF_ERROR(PrepareOutputs(OutputsOf(flags)));
  BatchReader batches = BatchReader::FromBatches({});
  if (!flags.run.input_paths.empty()) {
    NS_ASSIGN_OR_RETURN(batches, OpenBatches(flags.run));
  }
  if (!flags.qconfig_path.empty()) {
    NS_ASSIGN_OR_RETURN(flags.options.mapping,
                        ReadQConfigMapping(flags.qconfig_path));
  }
  // Files are loaded, and outputs measured, on the engine that weights are
  // packed for.
  const ScopedEngine engine(EngineOf(flags.options.backend));
  QuantizeRunner quantizer(flags, batches);
  NS_ASSIGN_OR_RETURN(QuantizeSummary summary, quantizer.Run());
  absl::c_move(RandomInputsWarning(flags.run.input_paths),
               std::back_inserter(summary.report.warnings));
  quantizer.EraseProgress();
  NS_RETURN_IF_ERROR(Report(flags, summary, quantizer));
  if (flags.training) {
    std::error_code ignored;
    std::filesystem::remove(flags.training->options.checkpoint_path, ignored);
  }
  return absl::OkStatus();
}

CommandOutcome RunCommand(const Flags& flags) {
  const absl::StatusOr<QuantizeFlags> parsed = ParseQuantizeFlags(flags);
  if (!parsed.ok()) {
    return CommandOutcome::WrongUsage(parsed.status());
  }
  const absl::Status status = RunQuantize(*parsed);
  return parsed->budget_db && absl::IsOutOfRange(status)
             ? CommandOutcome{ExitCode::kLimitCrossed, status}
             : CommandOutcome::Done(status);
}

}  // namespace

Command QuantizeCommand() { return {&QuantizeSpec(), RunCommand}; }

}  // namespace ns
