#include "passes/lowering/writers.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;

bool AnyWorksInPlace(const Graph& graph) {
  const auto nodes = graph.nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const Node* node) { return WorksInPlace(*node); });
}

}  // namespace

Writers::Writers(const Graph& graph) : any_(AnyWorksInPlace(graph)) {}

bool Writers::LetWait(const Node& first, const Node& last) const {
  if (!any_) {
    return true;
  }
  if (first.owningBlock() != last.owningBlock()) {
    return false;
  }
  for (const Node* node = first.next(); node != &last; node = node->next()) {
    if (WorksInPlace(*node)) {
      return false;
    }
  }
  return true;
}

}  // namespace ns
