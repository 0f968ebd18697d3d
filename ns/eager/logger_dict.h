// Gathers what the loggers of the eager suite have recorded.
#ifndef NS_EAGER_LOGGER_DICT_H_
#define NS_EAGER_LOGGER_DICT_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// The keys of LoggerStats.
inline constexpr char kTensorVal[] = "tensor_val";
inline constexpr char kFloatValues[] = "float";
inline constexpr char kQuantizedValues[] = "quantized";

// What the loggers of one module recorded: lists by name, with one tensor for
// each call. A logger of outputs (PrepareModelOutputs) has "tensor_val"; a
// logger of shadows (PrepareModelWithStubs) has "float" and "quantized". For
// tensors that a module returns besides its first, the names end in the
// tensor's name: "float_h_n".
using LoggerStats = std::map<std::string, std::vector<at::Tensor>>;

// The stats by key, "layer1.0.stats", in order of execution.
using LoggerDict = std::vector<std::pair<std::string, LoggerStats>>;

// Returns the stats of `key`, or null when there are none.
const LoggerStats* FindStats(const LoggerDict& dict, absl::string_view key);

// Returns the values of all loggers of `module`, which PrepareModelWithStubs or
// PrepareModelOutputs prepared and which has run since, in this process or
// before it was saved. Each logged module has one entry, with the values of all
// its outputs. The key is "<path>.stats", or "<prefix>.<path>.stats". (In
// PyTorch's eager suite it is get_logger_dict.)
//
// A logger's values are those of its method `get_stats` or its attribute
// `stats`: a list of tensors, which becomes "tensor_val", or a dict of such
// lists. A logger with neither has an entry without lists. Error: stats of
// another type.
absl::StatusOr<LoggerDict> GetLoggerDict(const torch::jit::Module& module,
                                         absl::string_view prefix = "");

}  // namespace ns

#endif  // NS_EAGER_LOGGER_DICT_H_
