#include "tools/commands/quantize/train_model.h"

#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/eager/describe_modules.h"
#include "ns/quantization/eager/module_mappings.h"
#include "ns/quantization/eager/train_modules.h"
#include "ns/quantization/model/output_error.h"
#include "ns/quantization/train_quantized_model.h"
#include "ns/training/train.h"
#include "ns/training/training_loss.h"
#include "ns/training/training_text.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tools/command_line/file_identity.h"
#include "tools/command_line/output_files.h"
#include "tools/commands/quantize/quantize_modules.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// What the checkpoint must have in common with this run.
absl::StatusOr<std::string> RunOf(const QuantizeFlags& flags,
                                  const TrainingData& data) {
  const TrainOptions& options = flags.training->options;
  std::vector<std::string> lines;
  const auto add = [&](absl::string_view name, const auto& value) {
    lines.push_back(absl::StrCat(name, "=", value));
  };
  const auto add_file = [&](absl::string_view name,
                            const std::string& path) -> absl::Status {
    if (!path.empty()) {
      NS_ASSIGN_OR_RETURN(const std::string identity, FileIdentity(path));
      add(name, identity);
    }
    return absl::OkStatus();
  };
  NS_RETURN_IF_ERROR(add_file("--float", flags.float_path));
  for (const std::string& path : flags.run.input_paths) {
    NS_RETURN_IF_ERROR(add_file("--inputs", path));
  }
  NS_RETURN_IF_ERROR(add_file("--labels", flags.training->labels_path));
  NS_RETURN_IF_ERROR(add_file("--qconfig", flags.qconfig_path));
  add("the number of batches", data.batches.size());
  add("--held-out", data.held_out());
  add("--epochs", options.epochs);
  add("--lr", options.learning_rate.value_or(DefaultRate(options.optimizer)));
  add("--optimizer",
      options.optimizer == OptimizerKind::kAdam ? "adam" : "sgd");
  add("--seed", options.seed);
  add("--eager", flags.eager);
  add("--backend", BackendName(flags.options.backend));
  add("--observer", static_cast<int>(flags.options.observer));
  add("--keep", absl::StrJoin(flags.options.keep, ","));
  add("--method", flags.model.method);
  add("--leaf", absl::StrJoin(flags.leaves, ","));
  return absl::StrJoin(lines, "\n");
}

class ModelTrainer {
 public:
  ModelTrainer(const QuantizeFlags& flags, const BatchReader& batches,
               ProgressBar& bar)
      : flags_(flags), batches_(batches), bar_(bar) {}

  absl::StatusOr<QuantizeSummary> Run(std::vector<FileToWrite>& files) {
    std::optional<Module> hierarchy;
    if (flags_.eager) {
      NS_ASSIGN_OR_RETURN(hierarchy, LoadHierarchy(flags_));
    }
    NS_ASSIGN_OR_RETURN(
        const ModelGraph float_model,
        hierarchy ? ModelGraph::FromModule(*hierarchy)
                  : ModelGraph::FromFile(flags_.float_path, flags_.model));
    NS_ASSIGN_OR_RETURN(const std::unique_ptr<TrainingLoss> loss,
                        MakeLoss(*flags_.training, batches_, float_model));
    NS_ASSIGN_OR_RETURN(const int64_t trained,
                        TrainedBatches(*flags_.training, batches_));
    const TrainingData data = {batches_, trained, *loss};
    NS_ASSIGN_OR_RETURN(const TrainOptions options, Options(data));
    QuantizeSummary summary;
    NS_ASSIGN_OR_RETURN(ModelGraph quantized,
                        hierarchy
                            ? TrainHierarchy(*hierarchy, data, options, summary)
                            : TrainGraph(float_model, data, options, summary));
    NS_RETURN_IF_ERROR(MeasureOutputs(float_model, quantized, summary));
    files.push_back(
        ModelFile(std::move(quantized), flags_.out_path, flags_.origin));
    const std::string warning = TrainingWarning(*summary.training);
    if (!warning.empty()) {
      summary.report.warnings.push_back(warning);
    }
    return summary;
  }

 private:
  absl::StatusOr<TrainOptions> Options(const TrainingData& data) {
    TrainOptions options = flags_.training->options;
    NS_ASSIGN_OR_RETURN(options.run, RunOf(flags_, data));
    options.progress = [this](int64_t done, int64_t total) {
      bar_.Update(done, total);
    };
    options.after_epoch = [this](const EpochReport& epoch) {
      bar_.Print(EpochText(epoch));
    };
    return options;
  }

  absl::StatusOr<ModelGraph> TrainGraph(const ModelGraph& model,
                                        const TrainingData& data,
                                        const TrainOptions& options,
                                        QuantizeSummary& summary) const {
    TrainQuantizedOptions train;
    train.name = flags_.float_path;
    train.quantize = flags_.options;
    train.train = options;
    NS_ASSIGN_OR_RETURN(TrainedQuantizedModel trained,
                        TrainQuantizedModel(model, data, train));
    summary.report = std::move(trained.report);
    summary.training = std::move(trained.training);
    return std::move(trained.model);
  }

  absl::StatusOr<ModelGraph> TrainHierarchy(const Module& model,
                                            const TrainingData& data,
                                            const TrainOptions& options,
                                            QuantizeSummary& summary) const {
    TrainModulesOptions train;
    train.name = flags_.float_path;
    train.train = options;
    std::vector<std::string> warnings;
    train.warnings = &warnings;
    NS_ASSIGN_OR_RETURN(train.qconfigs, Spec());
    train.calibrated_qconfigs =
        WithKept(flags_, {{"", DefaultMapping(flags_.options).global()}});
    for (const auto& [name, qconfig] : train.qconfigs) {
      if (!qconfig) {
        train.calibrated_qconfigs[name] = std::nullopt;
      }
    }
    NS_ASSIGN_OR_RETURN(const TrainedModules trained,
                        TrainModules(model, data, train));
    NS_ASSIGN_OR_RETURN(
        summary.report,
        DescribeModules(trained.prepared, trained.quantized, train.qconfigs,
                        GetDefaultStaticQuantModuleMappings()));
    summary.report.warnings = std::move(warnings);
    summary.training = trained.training;
    return ModelGraph::AroundModule(trained.quantized);
  }

  absl::StatusOr<QConfigSpec> Spec() const {
    if (flags_.options.mapping) {
      NS_ASSIGN_OR_RETURN(
          QConfigSpec spec,
          Annotated(flags_.qconfig_path, SpecOf(*flags_.options.mapping)));
      return WithKept(flags_, std::move(spec));
    }
    NS_ASSIGN_OR_RETURN(QConfig qconfig,
                        GetDefaultQatQConfig(flags_.options.backend));
    // Weights are known, so that their range needs no average over the steps.
    qconfig.weight.config.averaging_constant = 1;
    return WithKept(flags_, {{"", qconfig}});
  }

  absl::Status MeasureOutputs(const ModelGraph& float_model,
                              const ModelGraph& quantized,
                              QuantizeSummary& summary) const {
    // Modules are measured as the flat graph that they run as.
    NS_ASSIGN_OR_RETURN(const ModelGraph flat,
                        flags_.eager
                            ? ModelGraph::FromModule(quantized.module())
                            : quantized.Clone());
    NS_ASSIGN_OR_RETURN(OutputErrors errors,
                        MeasureOutputErrors(float_model, flat, batches_));
    summary.outputs = std::move(errors.outputs);
    std::vector<std::string>& warnings = summary.report.warnings;
    warnings.insert(warnings.end(), errors.warnings.begin(),
                    errors.warnings.end());
    return absl::OkStatus();
  }

  const QuantizeFlags& flags_;
  const BatchReader& batches_;
  ProgressBar& bar_;
};

}  // namespace

absl::StatusOr<QuantizeSummary> TrainModel(const QuantizeFlags& flags,
                                           const BatchReader& batches,
                                           ProgressBar& bar,
                                           std::vector<FileToWrite>& files) {
  return ModelTrainer(flags, batches, bar).Run(files);
}

}  // namespace ns
