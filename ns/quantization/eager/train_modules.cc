#include "ns/quantization/eager/train_modules.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/hierarchy/module_editor.h"
#include "ir/model/model_graph.h"
#include "ir/model/module_state.h"
#include "ns/batches/run_batches.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/quantization/eager/qat_switches.h"
#include "ns/quantization/eager/quantize.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// A copy of `model`, in training or in evaluation, with its chains fused.
absl::StatusOr<Module> Fused(const Module& model, bool training) {
  NS_ASSIGN_OR_RETURN(
      ModuleEditor copy,
      ModuleEditor::Copy(model, ModuleEditor::Tensors::kCopied));
  copy.root().train(training);
  FuseModulesOptions fuse;
  fuse.inplace = true;
  fuse.qat = training;
  return FuseFoundModules(copy.root(), fuse);
}

// Lets all batch norms use the statistics that they have.
void FreezeNorms(Module& model) {
  FreezeBnStats(model);
  for (Module module : model.modules()) {
    if (absl::StrContains(TypeNameOf(module),
                          "torch.nn.modules.batchnorm.BatchNorm")) {
      module.setattr("training", false);
    }
  }
}

absl::StatusOr<TrainingFigures> Measured(absl::string_view name,
                                         const Module& model,
                                         const TrainingData& data) {
  NS_ASSIGN_OR_RETURN(const ModelGraph graph,
                      ModelGraph::FromModuleAsItIs(model));
  return MeasureHeldOut(name, graph, data);
}

// What calibration alone makes of `model`, measured.
absl::StatusOr<TrainingFigures> MeasureCalibrated(const Module& model,
                                                  const QConfigSpec& qconfigs,
                                                  const TrainingData& data) {
  NS_ASSIGN_OR_RETURN(const Module fused, Fused(model, /*training=*/false));
  const auto calibrate = [&](Module& prepared) -> absl::Status {
    NS_ASSIGN_OR_RETURN(const ModelGraph shared,
                        ModelGraph::FromModuleAsItIs(prepared));
    // It has the same observers, and buffers of its own.
    NS_ASSIGN_OR_RETURN(ModelGraph graph, shared.Clone());
    return RunBatches("prepared", graph, data.batches,
                      FirstBatches(data.trained));
  };
  NS_ASSIGN_OR_RETURN(const Module quantized,
                      Quantize(fused, qconfigs, calibrate));
  return Measured("quantized", quantized, data);
}

}  // namespace

absl::StatusOr<TrainedModules> TrainModules(
    const Module& model, const TrainingData& data,
    const TrainModulesOptions& options) {
  NS_RETURN_IF_ERROR(CheckTraining(data, options.train));
  TrainedModules result;
  result.training = ReportFor(data, options.train);
  NS_ASSIGN_OR_RETURN(const ModuleEditor evaluated, ModuleEditor::Copy(model));
  Module float_model = evaluated.root();
  float_model.eval();
  NS_ASSIGN_OR_RETURN(result.training.float_model,
                      Measured("float", float_model, data));
  const absl::StatusOr<TrainingFigures> calibrated =
      MeasureCalibrated(model, options.calibrated_qconfigs, data);
  if (calibrated.ok()) {
    result.training.calibrated = *calibrated;
  } else if (options.warnings != nullptr) {
    options.warnings->push_back(
        absl::StrCat("there are no figures of the model without training: ",
                     calibrated.status().message()));
  }

  NS_ASSIGN_OR_RETURN(const Module fused,
                      Annotated(options.name, Fused(model, /*training=*/true)));
  PrepareQatOptions prepare;
  prepare.inplace = true;
  prepare.warnings = options.warnings;
  NS_ASSIGN_OR_RETURN(
      result.prepared,
      Annotated(options.name, PrepareQat(fused, options.qconfigs, prepare)));
  for (const at::Tensor& parameter : result.prepared.parameters()) {
    if (parameter.is_floating_point()) {
      at::Tensor(parameter).set_requires_grad(true);
    }
  }
  FreezeNorms(result.prepared);
  // What batches leave in the buffers of the model is no part of the result.
  ModuleState state(result.prepared);
  const int64_t frozen_from = options.train.epochs - options.train.epochs / 3;
  int64_t epoch_now = 0;
  TrainedModel trained;
  trained.module = result.prepared;
  trained.parameters = TrainableParameters(result.prepared);
  trained.before_epoch = [&](const EpochStart& start) {
    epoch_now = start.epoch;
    if (start.epoch == frozen_from && start.begins) {
      DisableObserver(result.prepared);
    }
    return absl::OkStatus();
  };
  trained.switch_training = [&](bool training) {
    result.prepared.train(training);
    FreezeNorms(result.prepared);
    if (!training) {
      DisableObserver(result.prepared);
    } else if (epoch_now < frozen_from) {
      EnableObserver(result.prepared);
    }
  };
  NS_ASSIGN_OR_RETURN(result.training.epochs,
                      Train(trained, data, options.train));
  std::move(state).Restore();
  result.prepared.eval();
  DisableObserver(result.prepared);
  ConvertOptions convert;
  convert.warnings = options.warnings;
  NS_ASSIGN_OR_RETURN(
      result.quantized,
      Annotated(options.name, Convert(result.prepared, convert)));
  NS_ASSIGN_OR_RETURN(result.training.quantized,
                      Measured("quantized", result.quantized, data));
  return result;
}

}  // namespace ns
