// Makes the data-flow graphs of two compared models from their matches.
#ifndef NS_SUITE_MODEL_GRAPHS_H_
#define NS_SUITE_MODEL_GRAPHS_H_

#include <optional>
#include <string>
#include <utility>

#include "ir/model/model_graph.h"
#include "ns/result/data_flow_graph.h"
#include "passes/matching/graph_matcher.h"

namespace ns {

// Returns the graphs of `float_model` and `quantized_model`, whose matches
// `matches` has. Nodes are the sides of matches and the unmatched ops. All
// other ops, such as views, quantize and dequantize, are part of the edges. A
// quantize point is a node of the quantized model only: on the float side it is
// a value, not an op.
DataFlowGraphs GraphsOf(const ModelGraph& float_model,
                        const ModelGraph& quantized_model,
                        const MatchResult& matches);

// Returns the names of two layers that the models run in opposite orders: the
// first feeds the second in the quantized model, directly or through others,
// and the second the first in the float model, directly. Absent where no two
// do.
std::optional<std::pair<std::string, std::string>> FindSwapped(
    const DataFlowGraphs& graphs);

}  // namespace ns

#endif  // NS_SUITE_MODEL_GRAPHS_H_
