// Puts loggers on the matched subgraphs of two models.
#ifndef PASSES_INSTRUMENT_ADD_LOGGERS_H_
#define PASSES_INSTRUMENT_ADD_LOGGERS_H_

#include <string>

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/insert_logger.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Adds to both graphs, in place, a logger behind the last node of every matched
// subgraph, inside control flow too:
//
//   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
// becomes
//   %y = quantized::conv2d_relu(%x, %packed, %scale, %zero_point)
//   %logger = prim::GetAttr[name="ns_logger_0"](%self)
//   %logged = prim::CallMethod[name="forward"](%logger, %y)
//
// An op that gives several tensors gets a logger for each that both models
// have, in order: LoggerInfo says which output it is on.
//
// Nothing uses what a logger returns, so both models compute what they did.
// `matches` is of these two graphs and stays valid. Error: what the factory
// returns, or a logger without a method `forward` of one tensor.
absl::Status AddLoggers(const std::string& name_a, ModelGraph& a,
                        const std::string& name_b, ModelGraph& b,
                        const MatchResult& matches,
                        const LoggerOptions& options = {});

}  // namespace ns

#endif  // PASSES_INSTRUMENT_ADD_LOGGERS_H_
