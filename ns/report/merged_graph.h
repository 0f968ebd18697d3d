// Merges the data flow of two models into one graph, for laying them out.
#ifndef NS_REPORT_MERGED_GRAPH_H_
#define NS_REPORT_MERGED_GRAPH_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ns/suite/data_flow_graph.h"

namespace ns {

// A layer that both models have, or an op that only one has.
struct MergedCell {
  std::optional<size_t> float_node;
  std::optional<size_t> quantized_node;
  // The names of the modules around it, from the outermost to its own. An op of
  // a module that stands between two ops of the same inner module counts as one
  // of that: graphs of torch.fx have such ops, and would tear modules apart.
  std::vector<std::string> path;
};

struct MergedGraph {
  // In an order in which the quantized model can run, and the float model's own
  // ops close to their neighbours.
  std::vector<MergedCell> cells;
  // Pairs of cells, each from an earlier to a later one; there are no others
  // but where the models run layers in different orders.
  std::vector<std::pair<size_t, size_t>> edges;
};

// Merges the nodes of the two graphs that belong to the same layer. Edges that
// name no node are left out. Ends for any edges, cycles among them.
MergedGraph Merge(const DataFlowGraphs& graphs);

}  // namespace ns

#endif  // NS_REPORT_MERGED_GRAPH_H_
