// Turns the loggers of an instrumented module on and off, between runs.
#ifndef PASSES_INSTRUMENT_LOGGER_SWITCHES_H_
#define PASSES_INSTRUMENT_LOGGER_SWITCHES_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace ns {

// Enables or disables the loggers of `module` that are of one of `layers`
// (LoggerInfo::layer), or all when `layers` is empty. A disabled logger costs
// one call and keeps nothing.
//
// A logger is switched by its method `set_enabled(bool)` or else its attribute
// `enabled`. Errors: a layer without loggers, and a logger with neither; no
// logger is switched then. A method that raises is an error, too; loggers
// before it are switched then.
absl::Status LoggersSetEnabled(torch::jit::Module& module, bool enabled,
                               const std::vector<std::string>& layers = {});

// As above for whether loggers keep the values they see, by the method
// `set_save_activations(bool)` or the attribute `save_activations`. Errors are
// the same.
absl::Status LoggersSetSaveActivations(
    torch::jit::Module& module, bool save,
    const std::vector<std::string>& layers = {});

}  // namespace ns

#endif  // PASSES_INSTRUMENT_LOGGER_SWITCHES_H_
