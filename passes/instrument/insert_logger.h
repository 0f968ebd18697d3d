// Inserts single loggers into a graph.
#ifndef PASSES_INSTRUMENT_INSERT_LOGGER_H_
#define PASSES_INSTRUMENT_INSERT_LOGGER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/op_outputs.h"
#include "passes/analysis/subgraph.h"
#include "passes/instrument/logger_info.h"
#include "passes/matching/graph_matcher.h"
#include "passes/matching/matches/matched_outputs.h"
#include "passes/ops/op_io_types.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

struct LoggerOptions {
  LoggerFactory logger = OutputLoggerFactory();
  // Whether the inputs of the first node of every subgraph are logged, too
  // (InsertInputLoggers). Not for matches with
  // SubgraphMatch::is_quantize_point: their output in A already is what is
  // quantized in B.
  bool should_log_inputs = false;
  // For shadows, copies of A's layers that run on B's inputs
  // (AddShadowLoggers): the dtypes of ops that the op table does not have.
  OpIoTypes io_types = {};
  // For shadows: whether the model runs on when one fails, without its values
  // (guarded_shadow.h). Otherwise the run ends with its error.
  bool guard_shadows = true;
  // Whether to reproduce two faults of PyTorch's suite. Where an op takes the
  // same value twice (`x * x`), the second logger gets what the first one
  // returns, and its LoggerInfo names the first logger as the previous node.
  // And every result of B in a shadow model has the fqn of the last match.
  bool compat = false;
};

// Hangs the logger that `options` make for `info` on `host`, and calls it with
// `value` in front of `place`:
//
//   %logger = prim::GetAttr[name="ns_logger_0"](%self)
//   %logged = prim::CallMethod[name="forward"](%logger, %value)
//
// Of a list or tuple, the first tensor is logged (FirstTensor); of a list that
// is empty when the model runs, a tensor without elements. Returns what the
// logger returns, which nothing uses yet. Error: what the factory returns; a
// logger without a method `forward` of one tensor; a `value` that is not known
// to hold a tensor: the logger is then on `host` all the same.
absl::StatusOr<torch::jit::Value*> InsertLogger(ModelGraph& host,
                                                const LoggerOptions& options,
                                                const LoggerInfo& info,
                                                torch::jit::Value* value,
                                                torch::jit::Node* place);

// Logs the inputs of `subgraph`, which is in `host`: every tensor that its
// first node takes, in order of the arguments, except weights. Of a list, the
// elements are logged when a prim::ListConstruct makes it, and nothing
// otherwise. The loggers are called in front of `place`: the first node of
// `subgraph`, or a node before it where the inputs are made already. It does
// not ask `options.should_log_inputs`.
//
// `info` is OutputInfo of the subgraph; type, indices and previous node are
// replaced by those of each input. `original` is `subgraph` itself or, where
// that is a copy, what it was copied from: the previous nodes are named as they
// are there. Error: as InsertLogger, or `original` takes another number of
// tensors, which is a fault of ours.
absl::Status InsertInputLoggers(ModelGraph& host, const LoggerOptions& options,
                                LoggerInfo info, const Subgraph& subgraph,
                                const Subgraph& original,
                                torch::jit::Node* place);

// Returns the node in front of which a logger of the output of `side` is
// called: right behind the value, or where MatchedSide::compared_in begins.
torch::jit::Node* PlaceOf(const MatchedSide& side);

// Describes a logger on the first output of `side`, one side of `match`.
LoggerInfo OutputInfo(const SubgraphMatch& match, const MatchedSide& side,
                      const std::string& model_name);

// Logs one output of a match, in front of `place`, as InsertLogger does. For a
// logger of model A, `info` is OutputInfo of `match.a`, and `tensor` is
// `output.a`; for one of B, OutputInfo of `match.b`, and `output.b`. `logged`
// is the value of `host` to log: `tensor.value` where the op is in `host`, and
// where `host` has a copy of it, the output of that copy. If `logged` is a list
// or tuple, tensor number `tensor.place` in it is logged. Error: as
// InsertLogger, or `logged` does not hold the tensor.
absl::Status InsertOutputLogger(ModelGraph& host, const LoggerOptions& options,
                                LoggerInfo info, const MatchedOutput& output,
                                const OutputTensor& tensor,
                                torch::jit::Value* logged,
                                torch::jit::Node* place);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_INSERT_LOGGER_H_
