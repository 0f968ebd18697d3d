#include "passes/matching/counterparts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/matching/control_flow_results.h"
#include "passes/matching/value_keeping.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Returns the control flow of `kind` that stands directly in `block` and is not
// matched.
template <typename IsMatched>
std::vector<Node*> ControlFlowIn(Block& block, c10::Symbol kind,
                                 const IsMatched& is_matched) {
  std::vector<Node*> found;
  for (Node* node : block.nodes()) {
    if (node->kind() == kind && !is_matched(*node)) {
      found.push_back(node);
    }
  }
  return found;
}

// Follows a value of B to a value that has a counterpart.
class Search {
 public:
  explicit Search(const SubgraphPairs& pairs) : pairs_(pairs) {}

  SameValue Run(Value* value) && {
    SameValue same;
    same.a = Find(value).value_or(nullptr);
    same.b = std::move(seen_);
    return same;
  }

 private:
  // The counterpart; null where there is none, and absent for a value that
  // leads back to one that was already visited.
  using Found = std::optional<Value*>;

  Found Find(Value* value) {
    if (!seen_.insert(value).second) {
      return std::nullopt;
    }
    if (Value* linked = pairs_.LinkedA(value)) {
      return linked;
    }
    Node& node = *value->node();
    if (node.kind() == c10::prim::If) {
      Found found;
      for (Block* arm : node.blocks()) {
        found = Join(found, Find(arm->outputs()[value->offset()]));
      }
      return found;
    }
    if (node.kind() == c10::prim::Loop) {
      return FindCarried(node, value->offset());
    }
    Node* owner = node.owningBlock()->owningNode();
    if (node.kind() == c10::prim::Param) {
      // The first parameter of a loop's body counts the trips.
      return owner != nullptr && value->offset() > 0
                 ? FindCarried(*owner, value->offset() - 1)
                 : Found(nullptr);
    }
    return KeepsOrQuantizesValues(node) && IsTensor(*node.input(0))
               ? Find(node.input(0))
               : Found(nullptr);
  }

  // Finds the counterpart of the value that a loop carries as its result
  // `index`.
  Found FindCarried(Node& loop, size_t index) {
    const Found first = Find(loop.input(index + 2));
    return Join(first, Find(loop.blocks()[0]->outputs()[index + 1]));
  }

  static Found Join(const Found& a, const Found& b) {
    if (!a || !b) {
      return a ? a : b;
    }
    return *a == *b ? a : Found(nullptr);
  }

  const SubgraphPairs& pairs_;
  llvm::DenseSet<Value*> seen_;
};

}  // namespace

Block* Counterparts::Of(const Block& block) const {
  const Node* owner = block.owningNode();
  if (owner == nullptr) {
    return nodes_a_.graph().block();
  }
  for (const int b : nodes_b_.InBlock(&block)) {
    const int a = pairs_.PartnerOfB(b);
    if (a >= 0) {
      return nodes_a_[a].node->owningBlock();
    }
  }
  Node* partner = PartnerOf(*owner);
  if (partner == nullptr) {
    return nullptr;
  }
  const auto blocks = owner->blocks();
  return partner->blocks()[absl::c_find(blocks, &block) - blocks.begin()];
}

// Finds the control flow of A for that of B. Where nothing inside is matched,
// it is recognised by its outputs, or by its place among others of its kind.
Node* Counterparts::PartnerOf(const Node& control) const {
  const auto partner_of_b = [&](const Node& node) {
    const int b = nodes_b_.IndexOf(&node);
    return b < 0 ? -1 : pairs_.PartnerOfB(b);
  };
  const int a = partner_of_b(control);
  if (a >= 0) {
    Node* partner = nodes_a_[a].node;
    return partner->kind() == control.kind() ? partner : nullptr;
  }
  Block* block_b = const_cast<Block*>(control.owningBlock());
  Block* block_a = Of(*block_b);
  if (block_a == nullptr) {
    return nullptr;
  }
  const std::vector<Node*> all_a =
      ControlFlowIn(*block_a, control.kind(), [&](const Node& node) {
        const int index = nodes_a_.IndexOf(&node);
        return index >= 0 && pairs_.PartnerOfA(index) >= 0;
      });
  const std::vector<Node*> all_b =
      ControlFlowIn(*block_b, control.kind(),
                    [&](const Node& node) { return partner_of_b(node) >= 0; });
  const auto shares = [&](const Node* node) {
    return ShareVariable(*node, control);
  };
  if (absl::c_count_if(all_a, shares) == 1) {
    return *absl::c_find_if(all_a, shares);
  }
  return all_a.size() == all_b.size()
             ? all_a[absl::c_find(all_b, &control) - all_b.begin()]
             : nullptr;
}

SameValue Counterparts::Find(Value* value) const {
  return Search(pairs_).Run(value);
}

}  // namespace ns
