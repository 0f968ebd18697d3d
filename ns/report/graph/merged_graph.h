// Merges the data flow of two models into one graph, for laying them out.
#ifndef NS_REPORT_GRAPH_MERGED_GRAPH_H_
#define NS_REPORT_GRAPH_MERGED_GRAPH_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ns/result/data_flow_graph.h"

namespace ns {

// A layer that both models have, or an op that only one has.
struct MergedCell {
  // Indices into the nodes of the two DataFlowGraphs; at least one is there.
  std::optional<size_t> float_node;
  std::optional<size_t> quantized_node;
  // The names of the modules around it, from the outermost to its own. An op
  // that runs between two ops of a module, but belongs to a module around that
  // one, counts as part of the inner one. Graphs of torch.fx have such ops,
  // which would otherwise be drawn as splitting the module in two.
  std::vector<std::string> path;
};

struct MergedGraph {
  // In an order in which the quantized model can run, and the float model's own
  // ops close to their neighbours.
  std::vector<MergedCell> cells;
  // Pairs (from, to) of indices into `cells`, from < to. Edges that lead back
  // are dropped: there are some only if the models run layers in different
  // orders.
  std::vector<std::pair<size_t, size_t>> edges;
};

// Merges the nodes of the two graphs that belong to the same layer. `graphs`
// may hold anything that a file can: edges with indices out of range are left
// out, and cycles are allowed.
MergedGraph Merge(const DataFlowGraphs& graphs);

}  // namespace ns

#endif  // NS_REPORT_GRAPH_MERGED_GRAPH_H_
