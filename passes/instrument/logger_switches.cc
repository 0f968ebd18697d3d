#include "passes/instrument/logger_switches.h"

#include <torch/csrc/jit/api/object.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "passes/instrument/logger_info.h"

namespace ns {
namespace {

// The objects of the loggers of `layers`, each of which has `method` or
// `attribute`.
absl::StatusOr<std::vector<torch::jit::Object>> SwitchedLoggers(
    const torch::jit::Module& module, const std::string& method,
    const std::string& attribute, const std::vector<std::string>& layers) {
  const std::vector<AttachedLogger> loggers = AllAttachedLoggers(module);
  for (const std::string& layer : layers) {
    if (absl::c_none_of(loggers, [&](const AttachedLogger& logger) {
          return logger.info.layer == layer;
        })) {
      return absl::NotFoundError(
          absl::StrCat("no logger is of layer '", layer, "'"));
    }
  }
  std::vector<torch::jit::Object> switched;
  for (const AttachedLogger& logger : loggers) {
    if (!layers.empty() && !absl::c_linear_search(layers, logger.info.layer)) {
      continue;
    }
    const torch::jit::Object object(logger.object.toObject());
    const bool has_flag =
        object.hasattr(attribute) && object.attr(attribute).isBool();
    if (!object.find_method(method) && !has_flag) {
      return absl::FailedPreconditionError(
          absl::StrCat("logger ", LoggerTypeName(*object.type()), " of layer '",
                       logger.info.layer, "' has neither a method '", method,
                       "' nor a bool attribute '", attribute, "'"));
    }
    switched.push_back(object);
  }
  return switched;
}

absl::Status Switch(const torch::jit::Module& module,
                    const std::string& attribute, bool value,
                    const std::vector<std::string>& layers) {
  const std::string method = absl::StrCat("set_", attribute);
  NS_ASSIGN_OR_RETURN(std::vector<torch::jit::Object> loggers,
                      SwitchedLoggers(module, method, attribute, layers));
  return CatchTorchErrors(absl::StrCat("calling ", method), [&] {
    for (torch::jit::Object& logger : loggers) {
      if (logger.find_method(method)) {
        logger.get_method(method)({value});
      } else {
        logger.setattr(attribute, value);
      }
    }
  });
}

}  // namespace

absl::Status LoggersSetEnabled(torch::jit::Module& module, bool enabled,
                               const std::vector<std::string>& layers) {
  return Switch(module, "enabled", enabled, layers);
}

absl::Status LoggersSetSaveActivations(torch::jit::Module& module, bool save,
                                       const std::vector<std::string>& layers) {
  return Switch(module, "save_activations", save, layers);
}

}  // namespace ns
