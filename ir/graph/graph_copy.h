// Tells where the parts of a graph are in a copy of it.
#ifndef IR_GRAPH_GRAPH_COPY_H_
#define IR_GRAPH_GRAPH_COPY_H_

#include <torch/csrc/jit/ir/ir.h>

#include "llvm/ADT/DenseMap.h"

namespace ns {

// Pairs the nodes, blocks and values of `graph` with those of `copy`, which
// ModelGraph::Clone made of it and which must not have been changed before the
// object is made. Later it may be: nodes that are added have no partner. Of a
// node that was removed from the copy, or whose outputs were added or removed,
// neither the node nor its values may be asked for.
class GraphCopy {
 public:
  GraphCopy(const torch::jit::Graph& graph, torch::jit::Graph& copy);

  // Returns the counterpart in the copy of a part that the graph had when the
  // object was made; null for null. No other part may be asked for.
  torch::jit::Node* Of(const torch::jit::Node* node) const;
  torch::jit::Block* Of(const torch::jit::Block* block) const;
  torch::jit::Value* Of(const torch::jit::Value* value) const;

 private:
  void Pair(const torch::jit::Block* block, torch::jit::Block* copy);

  llvm::DenseMap<const torch::jit::Node*, torch::jit::Node*> nodes_;
  llvm::DenseMap<const torch::jit::Block*, torch::jit::Block*> blocks_;
};

}  // namespace ns

#endif  // IR_GRAPH_GRAPH_COPY_H_
