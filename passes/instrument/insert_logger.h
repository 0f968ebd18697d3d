// Inserts single loggers into a graph.
#ifndef PASSES_INSTRUMENT_INSERT_LOGGER_H_
#define PASSES_INSTRUMENT_INSERT_LOGGER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/analysis/op_outputs.h"
#include "passes/analysis/subgraph.h"
#include "passes/instrument/logger_info.h"
#include "passes/matching/graph_matcher.h"
#include "passes/matching/matched_outputs.h"
#include "passes/ops/op_io_types.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

struct LoggerOptions {
  LoggerFactory logger = OutputLoggerFactory();
  // Also log what the first node of every subgraph takes (InsertInputLoggers).
  // Quantize points have no such loggers: their output in A is what B
  // quantizes.
  bool should_log_inputs = false;
  // For shadows: the dtypes of ops that the op table does not know.
  OpIoTypes io_types = {};
  // For shadows: whether one that fails as the model runs is left out
  // (guarded_shadow.h). Otherwise the run ends there.
  bool guard_shadows = true;
  // Reproduce what PyTorch's suite does wrong: of `x * x`, the logger of the
  // second argument gets what that of the first returns, and is described as
  // standing behind it; and every result of B in a shadow model has the fqn of
  // the last match.
  bool compat = false;
};

// Hangs the logger that `options` make for `info` on `host`, and calls it with
// `value` in front of `place`:
//
//   %logger = prim::GetAttr[name="ns_logger_0"](%self)
//   %logged = prim::CallMethod[name="forward"](%logger, %value)
//
// Of a list or tuple of tensors, the first element is logged; a list must have
// one when the model runs. Returns what the logger returns, which nothing uses.
// Error: what the factory returns; a logger without a method `forward` of one
// tensor; a `value` without a tensor, where the logger stays on `host`.
absl::StatusOr<torch::jit::Value*> InsertLogger(ModelGraph& host,
                                                const LoggerOptions& options,
                                                const LoggerInfo& info,
                                                torch::jit::Value* value,
                                                torch::jit::Node* place);

// Puts a logger in front of `place`, which is the first node of `subgraph` or
// one before it, for every tensor that this first node takes but weights, and
// for each of a list that a prim::ListConstruct makes, in order of the
// arguments; other lists have none. `subgraph` stands in `host`.
// It does so whatever `options.should_log_inputs` says. `info` describes the
// logger of the subgraph's output: type, indices and previous node become those
// of the input. Names of values are those of `original`, which `subgraph` is or
// is a copy of. Error: as InsertLogger, or `original` takes another number of
// tensors, which is a fault of ours.
absl::Status InsertInputLoggers(ModelGraph& host, const LoggerOptions& options,
                                LoggerInfo info, const Subgraph& subgraph,
                                const Subgraph& original,
                                torch::jit::Node* place);

// Returns the node in front of which the output of `side` is compared.
torch::jit::Node* PlaceOf(const MatchedSide& side);

// Describes a logger on the first output of `side`, one side of `match`.
LoggerInfo OutputInfo(const SubgraphMatch& match, const MatchedSide& side,
                      const std::string& model_name);

// Puts a logger on one output of a match, as InsertLogger does. `info` is
// OutputInfo of the match. `tensor` is `output.a` or `output.b`, that of the
// model whose names the logger has. `logged` is a value of `host`:
// `tensor.value` itself, or where `host` has a copy of the op, that of the
// copy. Of it, tensor number `tensor.place` is logged. Error: as InsertLogger,
// or `logged` does not hold the tensor.
absl::Status InsertOutputLogger(ModelGraph& host, const LoggerOptions& options,
                                LoggerInfo info, const MatchedOutput& output,
                                const OutputTensor& tensor,
                                torch::jit::Value* logged,
                                torch::jit::Node* place);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_INSERT_LOGGER_H_
