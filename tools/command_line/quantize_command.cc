#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/model_graph.h"
#include "ir/status.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/copy_for_target.h"
#include "ns/quantization/noise_warning.h"
#include "ns/quantization/output_error.h"
#include "ns/quantization/quantize_accurately.h"
#include "ns/quantization/quantize_json.h"
#include "ns/quantization/quantize_model.h"
#include "ns/quantization/quantize_summary.h"
#include "ns/quantization/quantize_table.h"
#include "ns/quantization/quantized_engine.h"
#include "ns/quantization/refused_inputs.h"
#include "ns/quantization/rescale_layers.h"
#include "ns/quantization/saturation_warning.h"
#include "ns/quantization/target_mapping.h"
#include "passes/kernels/isa.h"
#include "passes/quantization/default_qconfigs.h"
#include "passes/quantization/qconfig_json.h"
#include "tools/command_line/commands.h"
#include "tools/command_line/keep_memory.h"
#include "tools/command_line/output_files.h"
#include "tools/command_line/progress_bar.h"
#include "tools/command_line/quantize_flags.h"
#include "tools/command_line/quantize_modules.h"
#include "tools/command_line/quantize_spec.h"
#include "tools/command_line/report_output.h"
#include "tools/command_line/run_flags.h"
#include "tools/command_line/train_model.h"
#include "tools/command_line/training_mode_warnings.h"

namespace ns {
namespace {

bool HasVnni() {
  return kernels::IsSupported(kernels::Isa::kAvxVnni) ||
         kernels::IsSupported(kernels::Isa::kAvx512Vnni);
}

// Makes the quantized model of one command.
class Quantizer {
 public:
  // `batches` must outlive the object.
  Quantizer(QuantizeFlags flags, const BatchReader& batches)
      : flags_(std::move(flags)), batches_(batches) {
    flags_.options.progress = [this](int64_t done, int64_t total) {
      bar_.Update(done, total);
    };
  }
  // The progress holds the address.
  Quantizer(const Quantizer&) = delete;
  Quantizer& operator=(const Quantizer&) = delete;

  // Makes the models, which Files() writes. Error: which file is at fault.
  absl::StatusOr<QuantizeSummary> Run() {
    if (flags_.training) {
      NS_ASSIGN_OR_RETURN(QuantizeSummary summary,
                          TrainModel(flags_, batches_, bar_, files_));
      WarnOfNoise(summary);
      Describe(summary);
      return summary;
    }
    if (flags_.eager) {
      NS_ASSIGN_OR_RETURN(
          QuantizeSummary summary,
          QuantizeModules(
              flags_, batches_,
              [this](int64_t done, int64_t total) { bar_.Update(done, total); },
              files_));
      WarnOfNoise(summary);
      Describe(summary);
      return summary;
    }
    // Both are absent where a prepared model is converted.
    std::optional<ModelGraph> float_model;
    std::optional<RescaledModel> source;
    if (flags_.HasFloat()) {
      NS_ASSIGN_OR_RETURN(
          float_model, ModelGraph::FromFile(flags_.float_path, flags_.model));
      NS_ASSIGN_OR_RETURN(source, Rescaled(*float_model));
      NS_ASSIGN_OR_RETURN(
          mapping_, Annotated(flags_.float_path,
                              TargetMapping(source->model, flags_.options)));
      NS_RETURN_IF_ERROR(FindRefusedInputs(source->model));
    }
    NS_ASSIGN_OR_RETURN(ModelGraph prepared,
                        source ? Prepared(source->model) : MergeFiles());
    if (!source) {
      NS_RETURN_IF_ERROR(CalibrateOnBatches(prepared));
    }
    // A prepared model computes what the float one does.
    NS_ASSIGN_OR_RETURN(
        QuantizedModel quantized,
        Annotated(SourceName(),
                  ConvertKeepingWhatHelps(source ? source->model : prepared,
                                          prepared, batches_, flags_.options,
                                          ProgressAfter(BatchesToPrepare()))));
    if (quantized.mapping) {
      mapping_ = *std::move(quantized.mapping);
    }
    QuantizeSummary summary;
    summary.report = std::move(quantized.report);
    if (source) {
      AddReport(*source, summary.report);
    }
    if (MayRefuseInputs(flags_.options) && batches_.size() == 0) {
      WarnOfUnseenRanks(quantized.model, summary.report);
    }
    // A prepared model has its bits already.
    if (const auto warning = SaturationWarning(flags_.options, HasVnni());
        warning && source) {
      summary.report.warnings.push_back(*warning);
    }
    if (source) {
      WarnOfTrainingMode(summary.report);
    }
    NS_RETURN_IF_ERROR(MeasureOutputs(float_model ? *float_model : prepared,
                                      quantized.model, summary));
    WarnOfNoise(summary, source ? &source->model : nullptr, &quantized.model);
    KeepToSave(std::move(prepared), std::move(quantized.model));
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
  // Returns `model` with observers that have seen all batches.
  absl::StatusOr<ModelGraph> Prepared(const ModelGraph& model) {
    if (!Calibrates()) {
      return Annotated(flags_.float_path, PrepareModel(model, flags_.options));
    }
    absl::Status calibrated;
    absl::StatusOr<ModelGraph> prepared = PrepareCalibrated(
        model, batches_, flags_.options, [&](const ModelGraph& observed) {
          calibrated = CalibrateOnBatches(observed);
          return calibrated;
        });
    // Errors of calibration name the batch, and need no name of a model.
    NS_RETURN_IF_ERROR(calibrated);
    return Annotated(flags_.float_path, std::move(prepared));
  }

  void WarnOfTrainingMode(QuantizationReport& report) const {
    for (std::string& warning : TrainingModeWarnings({flags_.float_path})) {
      report.warnings.push_back(std::move(warning));
    }
  }

  // What messages call the model that is converted.
  std::string SourceName() const {
    return flags_.HasFloat() ? flags_.float_path
                             : absl::StrJoin(flags_.prepared_paths, ",");
  }

  // Returns `model` with factors moved between its layers, if that is asked
  // for.
  absl::StatusOr<RescaledModel> Rescaled(const ModelGraph& model) const {
    if (HasRescaling(flags_.options)) {
      return Annotated(flags_.float_path,
                       RescaleWhatHelps(model, batches_, flags_.options));
    }
    NS_ASSIGN_OR_RETURN(ModelGraph copy, model.Clone());
    return RescaledModel{std::move(copy), {}, {}};
  }

  // Puts what was done to the float model in front of the rest.
  static void AddReport(const RescaledModel& source,
                        QuantizationReport& report) {
    report.tried.insert(report.tried.begin(), source.tried.begin(),
                        source.tried.end());
    report.warnings.insert(report.warnings.begin(), source.warnings.begin(),
                           source.warnings.end());
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

  // Notes which layers a dynamic or weight-only op would fail for.
  absl::Status FindRefusedInputs(const ModelGraph& model) {
    if (BatchesToTry() > 0) {
      const AfterBatch progress = ProgressAfter(0);
      NS_ASSIGN_OR_RETURN(flags_.options.refused,
                          RefusedInputs(model, batches_, [&](size_t done) {
                            progress(static_cast<int64_t>(done));
                          }));
    }
    return absl::OkStatus();
  }

  bool Calibrates() const {
    return flags_.options.mode == QuantizeMode::kStatic;
  }

  // How many batches run to find what is refused.
  int64_t BatchesToTry() const {
    return flags_.HasFloat() && MayRefuseInputs(flags_.options)
               ? batches_.size()
               : 0;
  }

  // How many batches run before the model is converted.
  int64_t BatchesToPrepare() const {
    return BatchesToTry() + (Calibrates() ? batches_.size() : 0);
  }

  // Returns what shows that `before` batches and those of the call are done, of
  // all that the command runs: each to prepare and to measure outputs, and some
  // to see what helps.
  AfterBatch ProgressAfter(int64_t before) {
    return [this, before](int64_t done) {
      bar_.Update(before + done,
                  BatchesToPrepare() + batches_.size() +
                      BatchesToMeasure(flags_.options, batches_));
    };
  }

  // Reads one batch at a time, so that there may be any number of them.
  absl::Status CalibrateOnBatches(const ModelGraph& prepared) {
    if (!Calibrates()) {
      return absl::OkStatus();
    }
    return CalibrateHoldingBack(prepared, batches_,
                                ProgressAfter(BatchesToTry()));
  }

  absl::Status MeasureOutputs(const ModelGraph& float_model,
                              const ModelGraph& quantized,
                              QuantizeSummary& summary) {
    if (batches_.size() == 0) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(const ModelGraph copy,
                        CopyForTarget(quantized, flags_.options));
    const AfterBatch progress = ProgressAfter(
        BatchesToPrepare() + BatchesToMeasure(flags_.options, batches_));
    NS_ASSIGN_OR_RETURN(
        OutputErrors errors,
        MeasureOutputErrors(float_model, copy, batches_,
                            [&](int64_t done, int64_t) { progress(done); }));
    summary.outputs = std::move(errors.outputs);
    std::vector<std::string>& warnings = summary.report.warnings;
    warnings.insert(warnings.end(), errors.warnings.begin(),
                    errors.warnings.end());
    return absl::OkStatus();
  }

  // Adds a warning to `summary` if the outputs that were measured are mostly
  // noise. It names a layer where both models are given.
  void WarnOfNoise(QuantizeSummary& summary,
                   const ModelGraph* float_model = nullptr,
                   const ModelGraph* quantized = nullptr) const {
    const std::string noisy = NoisyOutput(summary.outputs);
    if (noisy.empty()) {
      return;
    }
    QuantizeOptions options = flags_.options;
    options.mapping = mapping_;
    summary.report.warnings.push_back(
        float_model != nullptr && !options.reference
            ? NoiseWarning(noisy, *float_model, *quantized, batches_, options)
            : NoiseWarning(noisy));
  }

  void KeepToSave(ModelGraph prepared, ModelGraph quantized) {
    files_.push_back(ModelFile(std::move(quantized), flags_.out_path));
    if (flags_.HasFloat() && !flags_.prepared_paths.empty()) {
      files_.push_back(
          ModelFile(std::move(prepared), flags_.prepared_paths.front()));
    }
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

absl::Status Report(const QuantizeFlags& flags, const QuantizeSummary& summary,
                    const Quantizer& quantizer) {
  ReportTexts texts;
  texts.files = quantizer.Files();
  texts.json = [&] { return QuantizeJson(summary); };
  texts.qconfig = [&] { return QConfigMappingToJson(quantizer.Mapping()); };
  texts.table = [&](const TableOptions& options) {
    return QuantizeTable(summary, options);
  };
  texts.warnings = summary.report.warnings;
  const std::vector<std::string>& unused = summary.report.unused_rules;
  if (!unused.empty()) {
    texts.warnings.push_back(absl::StrCat(
        "no layer has the ", unused.size() == 1 ? "rule " : "rules ",
        absl::StrJoin(unused, "; ")));
  }
  return WriteTexts(flags.outputs, texts);
}

// The files that the command writes.
std::vector<std::string> OutputsOf(const QuantizeFlags& flags) {
  std::vector<std::string> outputs = {
      flags.out_path, flags.outputs.qconfig_path, flags.outputs.json_path};
  if (flags.training) {
    outputs.push_back(flags.training->options.checkpoint_path);
  }
  if (flags.HasFloat()) {
    outputs.insert(outputs.end(), flags.prepared_paths.begin(),
                   flags.prepared_paths.end());
  }
  return outputs;
}

absl::Status Quantize(QuantizeFlags flags) {
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
  // Outputs are measured on the engine that the weights are packed for.
  const ScopedEngine engine(EngineOf(flags.options.backend));
  Quantizer quantizer(flags, batches);
  NS_ASSIGN_OR_RETURN(const QuantizeSummary summary, quantizer.Run());
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
  return parsed.ok() ? CommandOutcome::Done(Quantize(*parsed))
                     : CommandOutcome::WrongUsage(parsed.status());
}

}  // namespace

Command QuantizeCommand() { return {&QuantizeSpec(), RunCommand}; }

}  // namespace ns
