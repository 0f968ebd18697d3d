#include "passes/rewrite/equal_out_of_place.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/algorithm/container.h"
#include "ir/aliasing/returned_input.h"
#include "ir/aliasing/tensor_writes.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/rewrite/promotes_out_of_place.h"

namespace ns {

using ::torch::jit::Graph;
using ::torch::jit::Node;

EqualOutOfPlace::EqualOutOfPlace(Graph& graph) {
  std::vector<const Node*> sharing;
  std::vector<Node*> writers;
  ForEachNode(graph.block(), [&](Node* node) {
    if (MayShareReturnedInput(*node)) {
      sharing.push_back(node);
    } else if (node->blocks().empty() && WorksInPlace(*node)) {
      writers.push_back(node);
    }
  });
  if (sharing.empty() || writers.empty()) {
    return;
  }
  const TensorWrites writes(graph);
  for (Node* writer : writers) {
    if (absl::c_any_of(sharing, [&](const Node* node) {
          return node->isBefore(writer) &&
                 writes.MayWrite(writer, node->output());
        })) {
      seen_elsewhere_.insert(writer);
    }
  }
}

bool EqualOutOfPlace::Has(const Node& node) const {
  return !PromotesOutOfPlace(node) && !seen_elsewhere_.contains(&node);
}

}  // namespace ns
