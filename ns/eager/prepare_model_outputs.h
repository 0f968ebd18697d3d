// Adds loggers to the outputs of modules, in a float and a quantized model.
#ifndef NS_EAGER_PREPARE_MODEL_OUTPUTS_H_
#define NS_EAGER_PREPARE_MODEL_OUTPUTS_H_

#include <torch/csrc/jit/api/module.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
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

// Returns copies of both models with loggers on the outputs of their modules. A
// module is logged when its type is on the allow list, or when the type of the
// module at the same path of the other model is. Never logged are: the model
// itself, modules inside a logged one or inside a fused one (such as the
// Conv2d in a ConvReLU2d), and paths where either model has a type of
// IsNeverLogged (ns/eager/output_module_types.h), such as Dropout. Run both
// models, then call GetMatchingActivations on their modules: what they write to
// buffers stays in the copies. (In PyTorch's eager suite it is
// prepare_model_outputs.)
//
// A module has one logger for each tensor that it returns: an LSTM has three.
// All calls of its forward share them (see ForwardCalls in forward_calls.h); of
// other methods it is logged only where forward is never called. It has none
// when it is never called. For FloatFunctional and QFunctional, the calls that
// PyTorch's suite observes are logged: all but those of `add_scalar` and
// `mul_scalar`.
//
// Error: an allow list that names no module of either model, code that cannot
// be inlined, a logged module whose output is not known
// to hold a tensor (a dict, an optional tensor), an error of
// OutputOptions::logger, or a logger with the wrong signature.
absl::StatusOr<PreparedModels> PrepareModelOutputs(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const OutputOptions& options = {});

}  // namespace ns

#endif  // NS_EAGER_PREPARE_MODEL_OUTPUTS_H_
