#include "ir/graph/graph_copy.h"

#include <cstddef>

namespace ns {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

GraphCopy::GraphCopy(const Graph& graph, Graph& copy) {
  Pair(graph.block(), copy.block());
}

Node* GraphCopy::Of(const Node* node) const {
  return node == nullptr ? nullptr : nodes_.lookup(node);
}

Block* GraphCopy::Of(const Block* block) const {
  return block == nullptr ? nullptr : blocks_.lookup(block);
}

Value* GraphCopy::Of(const Value* value) const {
  return value == nullptr
             ? nullptr
             : nodes_.lookup(value->node())->output(value->offset());
}

void GraphCopy::Pair(const Block* block, Block* copy) {
  blocks_[block] = copy;
  // Inputs of a block are outputs of this node.
  nodes_[block->param_node()] = copy->param_node();
  auto copied = copy->nodes().begin();
  for (const Node* node : block->nodes()) {
    nodes_[node] = *copied;
    for (size_t i = 0; i < node->blocks().size(); ++i) {
      Pair(node->blocks()[i], copied->blocks()[i]);
    }
    ++copied;
  }
}

}  // namespace ns
