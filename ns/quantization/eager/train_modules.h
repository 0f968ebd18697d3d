// Quantization-aware training of module hierarchies, in one call.
#ifndef NS_QUANTIZATION_EAGER_TRAIN_MODULES_H_
#define NS_QUANTIZATION_EAGER_TRAIN_MODULES_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "ns/training/train.h"
#include "ns/training/training_report.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

struct TrainModulesOptions {
  // What messages call the float model.
  std::string name = "the model";
  // How layers are quantized while they are trained, as for PrepareQat.
  QConfigSpec qconfigs;
  // How they are quantized by calibration alone, to compare with; where that
  // fails, a warning says so and the report has no such figures.
  QConfigSpec calibrated_qconfigs;
  TrainOptions train;
  // Gets a line for each thing that a user should know; may be null.
  std::vector<std::string>* warnings = nullptr;
};

struct TrainedModules {
  // The trained model, with its fake quantizations, and what Convert has made
  // of it.
  torch::jit::Module prepared;
  torch::jit::Module quantized;
  TrainingReport training;
};

// Trains a copy of `model`, a float model with a QuantStub and a DeQuantStub,
// and quantizes it; `model` stays as it is. Layers that follow each other, such
// as conv, batch norm and ReLU, are fused (FuseFoundModules). Then PrepareQat
// puts fake quantizations in, all parameters are trained, and Convert makes the
// quantized model. Its weights are packed for the quantized engine that is set.
//
// Batch norms use their running statistics, and do not change them. The ranges
// of activations and weights are fixed for the last third of the epochs (none,
// of fewer than three). What batches write to buffers is taken back. Error:
// what CheckTraining, FuseFoundModules, PrepareQat, Train and Convert refuse,
// or a model that cannot run on the batches.
absl::StatusOr<TrainedModules> TrainModules(const torch::jit::Module& model,
                                            const TrainingData& data,
                                            const TrainModulesOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_TRAIN_MODULES_H_
