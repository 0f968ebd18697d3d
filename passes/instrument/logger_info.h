// Describes the loggers of an instrumented module: which model and which node
// each of them watches.
#ifndef PASSES_INSTRUMENT_LOGGER_INFO_H_
#define PASSES_INSTRUMENT_LOGGER_INFO_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace ns {

// The kinds of results of the numeric suite.
inline constexpr char kWeightResult[] = "weight";
inline constexpr char kNodeOutputResult[] = "node_output";
inline constexpr char kNodeInputResult[] = "node_input";

struct LoggerInfo {
  // The layer's name: equal in both models (PyTorch: ref_name).
  std::string layer;
  // What the layer is called by the names of the logger's own model
  // (MatchedSide::name); empty where that was not told.
  std::string layer_in_model;
  // kNodeOutputResult or kNodeInputResult.
  std::string type;
  std::string model_name;
  // The node that the logger was added for, by its base op, and that op.
  std::string ref_node_name;
  std::string ref_node_target_type;
  // The node whose output is logged, and its op.
  std::string prev_node_name;
  std::string prev_node_target_type;
  // For inputs: which element of a list argument, and which argument.
  int index_within_arg = 0;
  int index_of_arg = 0;
  // Path of the module of the base op.
  std::string fqn;
  // Of ops and modules that give several tensors: which one is logged, 0 for
  // the first, and what a user calls it: "output", "h_n", "c_n", or the index.
  // The name is empty where there is one tensor.
  int output_index = 0;
  std::string output_name;
};

// Makes the logger for one place: an object with a method
// `forward(Tensor) -> Tensor` (or no result), of a C++ class that is registered
// with torch::class_ or of a scripted module.
using LoggerFactory =
    std::function<absl::StatusOr<c10::IValue>(const LoggerInfo& info)>;

// Makes torch.classes.ns.OutputLogger objects.
LoggerFactory OutputLoggerFactory();

// OK for an object with a method `forward` of `arity` tensors: one, or two, the
// quantized and the float one. Otherwise an error that names the logger.
absl::Status CheckLogger(const c10::IValue& logger, size_t arity);

// What `logger` kept: what its method `get_stats()` returns, or else its
// attribute `stats`, a list of tensors or a dict of such; None for a logger
// with neither. Error: a method that fails.
absl::StatusOr<c10::IValue> ReadStats(const c10::IValue& logger);

// "MyLogger" for __torch__.MyLogger: what messages call a logger.
std::string LoggerTypeName(const c10::ClassType& type);

// A logger object and its description, as an instrumented module holds them in
// its attributes `ns_logger_<n>` and `ns_logger_<n>_info`. Loggers of outputs
// other than the first are called `ns_output_logger_<n>`: so a search for a
// layer among the former finds its first output.
struct AttachedLogger {
  c10::IValue object;
  LoggerInfo info;
};

// Hangs a logger on `module`; returns the attribute's name.
std::string AttachLogger(torch::jit::Module& module,
                         const AttachedLogger& logger);

// The loggers of `module`, in the order in which they were attached, but those
// of other outputs than the first.
std::vector<AttachedLogger> AttachedLoggers(const torch::jit::Module& module);

// The same with all loggers: those of other outputs come last.
std::vector<AttachedLogger> AllAttachedLoggers(
    const torch::jit::Module& module);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_LOGGER_INFO_H_
