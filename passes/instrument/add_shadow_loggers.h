// Puts subgraphs of one model as shadows beside those of another, with loggers
// on both.
#ifndef PASSES_INSTRUMENT_ADD_SHADOW_LOGGERS_H_
#define PASSES_INSTRUMENT_ADD_SHADOW_LOGGERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "passes/instrument/insert_logger.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// A match that got no shadow.
struct NotShadowedMatch {
  // SubgraphMatch::name.
  std::string name;
  std::string reason;
};

// Adds to the graph of `b`, in place, a copy of every matched subgraph of `a`,
// weights and all, fed with what the subgraph of `b` is fed, and a logger on
// each output of both (PyTorch: add_shadow_loggers):
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
// Inputs are cast to what the subgraph of A computes with (see shadow_casts.h).
// The shadow stands in the block of what it shadows, inside control flow too.
// At a quantize point the shadow is the value that is quantized. B computes
// what it did, bit for bit; A is not changed. `matches` is of these two graphs
// and stays valid.
//
// A shadow that fails as B runs, since it does not take B's values, is left out
// from then on, with its loggers: see FailedShadows. For this it is a method of
// B's module (guarded_shadow.h); with LoggerOptions::guard_shadows false, it
// stands in the graph as above.
//
// Returns the matches that cannot be shadowed, in their order. Error: what the
// logger factory returns, or a logger whose `forward` does not take a tensor.
absl::StatusOr<std::vector<NotShadowedMatch>> AddShadowLoggers(
    const std::string& name_a, const ModelGraph& a, const std::string& name_b,
    ModelGraph& b, const MatchResult& matches,
    const LoggerOptions& options = {});

// The matches whose shadows failed in runs of `module`, the module of `b` or
// what was saved of it, and why.
std::vector<NotShadowedMatch> FailedShadows(const torch::jit::Module& module);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_ADD_SHADOW_LOGGERS_H_
