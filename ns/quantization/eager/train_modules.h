// Trains module hierarchies so that they compute well with rounded values.
#ifndef NS_QUANTIZATION_EAGER_TRAIN_MODULES_H_
#define NS_QUANTIZATION_EAGER_TRAIN_MODULES_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/quantization/eager/module_qconfig.h"
#include "ns/training/train.h"
#include "ns/training/training_report.h"
#include "passes/quantization/qconfig.h"

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
  // What was odd, a line each; may be null.
  std::vector<std::string>* warnings = nullptr;
};

struct TrainedModules {
  // The trained model, with its fake quantizations, and what Convert has made
  // of it.
  torch::jit::Module prepared;
  torch::jit::Module quantized;
  TrainingReport training;
};

// Fuses the chains of `model`, a float one with stubs, for training, prepares
// it, trains all of its parameters and converts it. Batch norms keep the
// statistics that they have, and for the last third of the epochs, activations
// and weights their ranges (qat_switches.h). The quantized engine that is set
// packs the weights. Error: what FuseModules, PrepareQat, Train and Convert
// refuse.
absl::StatusOr<TrainedModules> TrainModules(const torch::jit::Module& model,
                                            const TrainingData& data,
                                            const TrainModulesOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_TRAIN_MODULES_H_
