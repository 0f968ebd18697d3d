#include "tests/testing/ir.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/text/text.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

void Append(const torch::jit::Block* block,
            std::vector<torch::jit::Node*>& nodes) {
  for (const torch::jit::Node* node : block->nodes()) {
    nodes.push_back(const_cast<torch::jit::Node*>(node));
    for (const torch::jit::Block* inner : node->blocks()) {
      Append(inner, nodes);
    }
  }
}

}  // namespace

std::shared_ptr<torch::jit::Graph> GraphOf(absl::string_view text) {
  return OrThrow(ParseGraph(text));
}

ModelGraph ModelOf(absl::string_view text) {
  return OrThrow(ModelGraph::FromGraph(GraphOf(text)));
}

void ExpectIr(const std::shared_ptr<torch::jit::Graph>& graph,
              absl::string_view text) {
  EXPECT_EQ(CanonicalText(graph), CanonicalText(GraphOf(text)));
}

std::vector<torch::jit::Node*> AllNodes(const torch::jit::Graph& graph) {
  std::vector<torch::jit::Node*> nodes;
  Append(graph.block(), nodes);
  return nodes;
}

std::vector<torch::jit::Node*> NodesOf(const torch::jit::Graph& graph,
                                       absl::string_view op) {
  std::vector<torch::jit::Node*> nodes;
  for (torch::jit::Node* node : AllNodes(graph)) {
    if (op == node->kind().toQualString()) {
      nodes.push_back(node);
    }
  }
  return nodes;
}

torch::jit::Node* NodeOf(const torch::jit::Graph& graph, absl::string_view op,
                         size_t index) {
  const std::vector<torch::jit::Node*> nodes = NodesOf(graph, op);
  if (index >= nodes.size()) {
    throw std::runtime_error(
        absl::StrCat("the graph has ", nodes.size(), " nodes of ", op));
  }
  return nodes[index];
}

}  // namespace ns
