// Finds how much of a model is quantized, and why the rest is not.
#ifndef NS_SUITE_FIND_COVERAGE_H_
#define NS_SUITE_FIND_COVERAGE_H_

#include <optional>
#include <vector>

#include "ir/model/model_graph.h"
#include "ns/result/coverage.h"
#include "passes/analysis/value_facts.h"
#include "passes/matching/graph_matcher.h"
#include "passes/ops/op_io_types.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns in what `base` computes, an op of the graph that `facts` are of.
RunsIn RunsInOf(const torch::jit::Node& base, const ValueFacts& facts);

// Returns, for each match in order, in what its op of model b computes; absent
// for quantize points and other matches without a base op. `facts` are those of
// the graph of model b. They tell which values are quantized
// (ValueFacts::Likely): an op on values of which they know nothing counts as
// float.
std::vector<std::optional<RunsIn>> FindRunsIn(const ValueFacts& facts,
                                              const MatchResult& matches);

// Returns the layers of `quantized_model`, model b of `matches`, that compute
// in float, with the reason; where values are dequantized only to be quantized
// alike again; and where weights are packed at each run. `runs_in` is what
// FindRunsIn returned for `matches`; `io_types` has what users say of their own
// ops. Throws c10::Error for a graph that LibTorch cannot analyse.
Coverage FindCoverage(const ModelGraph& quantized_model,
                      const MatchResult& matches,
                      const std::vector<std::optional<RunsIn>>& runs_in,
                      const OpIoTypes& io_types = {});

}  // namespace ns

#endif  // NS_SUITE_FIND_COVERAGE_H_
