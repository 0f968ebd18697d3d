#include "passes/matching/overwritten_values.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <memory>

#include "absl/algorithm/container.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Returns the outermost loop around `place` that is not around `made`; null
// when there is none.
const Node* LoopSince(const Node& made, const Node& place) {
  const Node* loop = nullptr;
  for (const Node* outer = place.owningBlock()->owningNode(); outer != nullptr;
       outer = outer->owningBlock()->owningNode()) {
    if (outer->kind() == c10::prim::Loop && !IsInside(made, *outer)) {
      loop = outer;
    }
  }
  return loop;
}

}  // namespace

OverwrittenValues::OverwrittenValues(Graph& graph) {
  ForEachNode(graph.block(), [&](Node* node) {
    if (node->blocks().empty() && WorksInPlace(*node)) {
      writers_.push_back(node);
    }
  });
  if (!writers_.empty()) {
    writes_ = std::make_unique<TensorWrites>(graph);
  }
}

OverwrittenValues::~OverwrittenValues() = default;

bool OverwrittenValues::IsOverwritten(Value* value, const Node& place) const {
  const Node& made = *value->node();
  const Node* loop = LoopSince(made, place);
  const auto begin = made.kind() == c10::prim::Param
                         ? writers_.begin()
                         : absl::c_partition_point(writers_, [&](Node* writer) {
                             return !RunsBefore(made, *writer);
                           });
  const auto end =
      std::partition_point(begin, writers_.end(), [&](Node* writer) {
        return RunsBefore(*writer, place) ||
               (loop != nullptr && IsInside(*writer, *loop));
      });
  return std::any_of(begin, end, [&](Node* writer) {
    return writer != &made && writes_->MayWrite(writer, value);
  });
}

bool OverwrittenValues::IsOverwrittenInBlock(Value* value,
                                             const Node& place) const {
  const Node& first = *place.owningBlock()->param_node();
  const auto begin = absl::c_partition_point(
      writers_, [&](Node* writer) { return RunsBefore(*writer, first); });
  const auto end = std::partition_point(
      begin, writers_.end(),
      [&](Node* writer) { return RunsBefore(*writer, place); });
  return std::any_of(begin, end, [&](Node* writer) {
    return writes_->MayWrite(writer, value);
  });
}

}  // namespace ns
