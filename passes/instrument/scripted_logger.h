// Loads loggers that users write in TorchScript.
#ifndef PASSES_INSTRUMENT_SCRIPTED_LOGGER_H_
#define PASSES_INSTRUMENT_SCRIPTED_LOGGER_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/instrument/logger_info.h"

namespace ns {

// Makes, for each place, a copy of the module that torch.jit.save wrote to
// `path`. Its method `forward` takes `arity` tensors, as CheckLogger says; what
// it keeps in attributes, such as a list of tensors `stats`, is what
// ExtractLoggerInfo reads. Errors name the file: it cannot be loaded, or has
// another signature.
absl::StatusOr<LoggerFactory> LoadScriptedLogger(absl::string_view path,
                                                 size_t arity = 1);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_SCRIPTED_LOGGER_H_
