// Holds the data flow of one compared model, as plain data, for reports that
// draw it.
#ifndef NS_RESULT_DATA_FLOW_GRAPH_H_
#define NS_RESULT_DATA_FLOW_GRAPH_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ns {

// A matched subgraph of the model, or an op that the other model has nothing
// for.
struct DataFlowNode {
  // The path of the module that it belongs to, or whose code calls it:
  // "layer1.0.conv1". Empty where none is known.
  std::string fqn;
  // What to print: the layer's name or, for an unmatched op, path and op.
  std::string name;
  // The base op, "aten::conv2d".
  std::string op;
  // LayerComparison::name of the layer that it is a side of; empty for an
  // unmatched op.
  std::string layer;
  // Why it stayed unmatched; empty for a matched one.
  std::string reason;
};

struct DataFlowGraph {
  // In order of execution.
  std::vector<DataFlowNode> nodes;
  // Pairs (from, to) of indices into `nodes`: a value of `from` reaches `to`
  // without passing another node. Each pair is there once; they are sorted by
  // `to`.
  std::vector<std::pair<size_t, size_t>> edges;
};

// The graphs of the two models that were compared.
struct DataFlowGraphs {
  DataFlowGraph of_float;
  DataFlowGraph of_quantized;
};

}  // namespace ns

#endif  // NS_RESULT_DATA_FLOW_GRAPH_H_
