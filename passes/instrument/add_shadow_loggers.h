// Puts subgraphs of one model as shadows beside those of another, with loggers
// on both.
#ifndef PASSES_INSTRUMENT_ADD_SHADOW_LOGGERS_H_
#define PASSES_INSTRUMENT_ADD_SHADOW_LOGGERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/insert_logger.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// A match that got no shadow.
struct NotShadowedMatch {
  // SubgraphMatch::name.
  std::string name;
  std::string reason;
};

// Changes the graph of `b` in place (PyTorch: add_shadow_loggers). In front of
// each matched subgraph of `b` it puts a shadow: a copy of the subgraph of `a`,
// weights and all, which gets the inputs of the subgraph of `b`. Each output of
// the shadow and each output of the subgraph of `b` gets a logger:
//
//   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
// becomes
//   %float = ns::as_float(%x)
//   %shadow = aten::conv2d(%float, %weight, ...)
//   %shadow_relu = aten::relu(%shadow)
//   %logger_a = prim::GetAttr[name="ns_logger_0"](%self)
//   %logged_a = prim::CallMethod[name="forward"](%logger_a, %shadow_relu)
//   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
//   %logger_b = prim::GetAttr[name="ns_logger_1"](%self)
//   %logged_b = prim::CallMethod[name="forward"](%logger_b, %y)
//
// The inputs of a shadow are cast to the dtype that the subgraph of `a`
// computes with (passes/rewrite/shadow_casts.h). A shadow stands in the same
// block as the subgraph of `b`, inside control flow too. A match with
// is_quantize_point gets no copy: there the logger of `a` sees the value of `b`
// that is quantized. `b` computes what it did, bit for bit; `a` is not changed.
// `matches` is what MatchSubgraphs returned for `a` and `b`, and stays valid.
// The loggers of the shadows carry `name_a`, the others `name_b`
// (LoggerInfo::model_name); ExtractLoggerInfo reads them after a run.
//
// A shadow may fail while `b` runs, because it does not take the values of `b`.
// The run of `b` goes on, and from then on this shadow does not run, and its
// loggers and those beside it keep nothing more: see FailedShadows. Those of
// inputs have a value of the run that failed, on both sides, and those of
// outputs have none. To this end a shadow becomes a method of the module of `b`
// (guarded_shadow.h). With LoggerOptions::guard_shadows false it stands in the
// graph as above, and the run ends where it fails.
//
// Returns the matches that cannot be shadowed, in their order, and why. Error:
// what the logger factory returns, or a logger whose `forward` does not take a
// tensor. `b` is then left half changed: throw it away.
absl::StatusOr<std::vector<NotShadowedMatch>> AddShadowLoggers(
    const std::string& name_a, const ModelGraph& a, const std::string& name_b,
    ModelGraph& b, const MatchResult& matches,
    const LoggerOptions& options = {});

// Returns the matches whose shadows have failed in a run, and why; empty before
// the first run. `module` is b.module() after AddShadowLoggers, or was loaded
// from a file that this was saved to.
std::vector<NotShadowedMatch> FailedShadows(const torch::jit::Module& module);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_ADD_SHADOW_LOGGERS_H_
