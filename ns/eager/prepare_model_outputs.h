// Adds loggers to the outputs of modules, in a float and a quantized model.
#ifndef NS_EAGER_PREPARE_MODEL_OUTPUTS_H_
#define NS_EAGER_PREPARE_MODEL_OUTPUTS_H_

#include <torch/csrc/jit/api/module.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/instrument/logger_info.h"

namespace ns {

struct OutputOptions {
  // Makes the logger of a module.
  LoggerFactory logger = OutputLoggerFactory();
  // The types of the modules to log, qualified or bare (see IsTypeNamed); those
  // of DefaultOutputModuleTypes when absent.
  std::optional<std::vector<std::string>> allow_list = std::nullopt;
  // The method to run.
  std::string method = "forward";
};

struct PreparedModels {
  ModelGraph float_model;
  ModelGraph quantized_model;
};

// Returns copies of both models with a logger on the output of every module
// whose type, or that of the module at the same path of the other model, is on
// the allow list. Modules inside a logged one are not logged, nor is the model
// itself. Run the models, then call GetMatchingActivations on their modules.
// (In PyTorch's eager suite it is prepare_model_outputs.)
//
// Where an output has several tensors, the first is logged. For FloatFunctional
// and QFunctional, the methods that PyTorch's suite observes are logged: all
// but `add_scalar` and `mul_scalar`. A module has one logger for all its calls,
// and none when it is never called.
//
// Error: code that cannot be inlined, an output without tensors, or a logger
// with the wrong signature.
absl::StatusOr<PreparedModels> PrepareModelOutputs(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const OutputOptions& options = {});

}  // namespace ns

#endif  // NS_EAGER_PREPARE_MODEL_OUTPUTS_H_
