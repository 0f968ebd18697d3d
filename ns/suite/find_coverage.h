// Finds how much of a model is quantized, and why the rest is not.
#ifndef NS_SUITE_FIND_COVERAGE_H_
#define NS_SUITE_FIND_COVERAGE_H_

#include <optional>
#include <vector>

#include "ir/model_graph.h"
#include "ns/suite/coverage.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Returns in what the op of each match computes, in order; absent for points
// where values are only quantized. `quantized_model` is model b of `matches`.
// Which values are quantized is what the graph tells (ValueFacts::Likely): an
// op on values of unknown kind counts as float.
std::vector<std::optional<RunsIn>> FindRunsIn(const ModelGraph& quantized_model,
                                              const MatchResult& matches);

// Returns what of `quantized_model` is not quantized, or in vain. `runs_in` is
// what FindRunsIn returned.
Coverage FindCoverage(const ModelGraph& quantized_model,
                      const MatchResult& matches,
                      const std::vector<std::optional<RunsIn>>& runs_in);

}  // namespace ns

#endif  // NS_SUITE_FIND_COVERAGE_H_
