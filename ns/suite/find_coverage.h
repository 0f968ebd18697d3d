// Finds how much of a model is quantized, and why the rest is not.
#ifndef NS_SUITE_FIND_COVERAGE_H_
#define NS_SUITE_FIND_COVERAGE_H_

#include <optional>
#include <vector>

#include "ir/model_graph.h"
#include "ns/suite/coverage.h"
#include "passes/analysis/value_facts.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"

namespace ns {

// Returns in what the op of each match computes, in order; absent for points
// where values are only quantized. `facts` are those of the graph of model b.
// Which values are quantized is what they tell (ValueFacts::Likely): an op on
// values of unknown kind counts as float.
std::vector<std::optional<RunsIn>> FindRunsIn(const ValueFacts& facts,
                                              const MatchResult& matches);

// Returns what of `quantized_model`, model b of `matches`, is not quantized, or
// in vain. `runs_in` is what FindRunsIn returned; `io_types` has what users say
// of their own ops.
Coverage FindCoverage(const ModelGraph& quantized_model,
                      const MatchResult& matches,
                      const std::vector<std::optional<RunsIn>>& runs_in,
                      const OpIoTypes& io_types = {});

}  // namespace ns

#endif  // NS_SUITE_FIND_COVERAGE_H_
