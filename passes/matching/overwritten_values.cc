#include "passes/matching/overwritten_values.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>

#include "absl/algorithm/container.h"
#include "ir/control_flow.h"
#include "ir/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether a loop around `place`, but not around `made`, runs `writer`, too.
bool IsOnAnEarlierTrip(const Node& writer, const Node& made,
                       const Node& place) {
  for (const Node* outer = place.owningBlock()->owningNode(); outer != nullptr;
       outer = outer->owningBlock()->owningNode()) {
    if (outer->kind() == c10::prim::Loop && IsInside(writer, *outer) &&
        !IsInside(made, *outer)) {
      return true;
    }
  }
  return false;
}

}  // namespace

OverwrittenValues::OverwrittenValues(Graph& graph) {
  FindWriters(graph.block());
  if (!writers_.empty()) {
    writes_ = std::make_unique<TensorWrites>(graph);
  }
}

OverwrittenValues::~OverwrittenValues() = default;

void OverwrittenValues::FindWriters(Block* block) {
  for (Node* node : block->nodes()) {
    if (node->blocks().empty() && WorksInPlace(*node)) {
      writers_.push_back(node);
    }
    for (Block* inner : node->blocks()) {
      FindWriters(inner);
    }
  }
}

bool OverwrittenValues::IsOverwritten(Value* value, const Node& place) const {
  const Node& made = *value->node();
  return absl::c_any_of(writers_, [&](Node* writer) {
    const bool is_later = writer != &made && (made.kind() == c10::prim::Param ||
                                              RunsBefore(made, *writer));
    return is_later &&
           (RunsBefore(*writer, place) ||
            IsOnAnEarlierTrip(*writer, made, place)) &&
           writes_->MayWrite(writer, value);
  });
}

bool OverwrittenValues::IsOverwrittenInBlock(Value* value,
                                             const Node& place) const {
  return absl::c_any_of(writers_, [&](Node* writer) {
    return IsWithin(*writer, *place.owningBlock()) &&
           RunsBefore(*writer, place) && writes_->MayWrite(writer, value);
  });
}

}  // namespace ns
