// Gathers what the loggers of instrumented models have recorded.
#ifndef PASSES_EXTRACTION_EXTRACT_LOGGER_INFO_H_
#define PASSES_EXTRACTION_EXTRACT_LOGGER_INFO_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/extraction/results.h"

namespace ns {

struct ExtractLoggerInfoOptions {
  // Whether the inputs of an op are ordered as in PyTorch's suite, by the text
  // "<index of argument>:<index within argument>": "0:10" before "0:2".
  bool compat = false;
  // The class of the loggers to read, qualified or bare (see IsTypeNamed):
  // "MyLogger". Empty: all loggers are read. (In PyTorch's suite it is
  // logger_cls.)
  std::string logger_class = "";
  // The model whose names the layers get; "" for the names that they were
  // matched under (MatchOptions::naming). A layer without a logger of that
  // model keeps its name.
  std::string model_name_to_use_for_layer_names = "";
};

// Gathers the values of all loggers of `modules`, which AddLoggers instrumented
// and which have run since, in this process or before they were saved. Layers
// come in the order in which their loggers were added. (In PyTorch's suite it
// is extract_logger_info.)
//
// An op that returns several tensors has a record for each, behind that of the
// first, except for tensors of integers or truth values, such as indices: they
// have no quantization error.
//
// A logger's values are those of its method `get_stats() -> Tensor[]` or its
// attribute `stats`; a logger with neither, which may print or send what it
// sees, has an entry without values. Errors: stats of another type, or no
// logger of the class or of the model that `options` name.
absl::StatusOr<Results> ExtractLoggerInfo(
    const std::vector<torch::jit::Module>& modules,
    const ExtractLoggerInfoOptions& options = {});

}  // namespace ns

#endif  // PASSES_EXTRACTION_EXTRACT_LOGGER_INFO_H_
