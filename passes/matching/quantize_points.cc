#include "passes/matching/quantize_points.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "ir/node_view.h"
#include "passes/matching/control_flow_results.h"
#include "passes/matching/overwritten_values.h"
#include "passes/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

bool HasRole(const Node& node, Role role) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && row->role == role;
}

// True for ops whose output has the values and the shape of their input.
bool KeepsValues(const Node& node) {
  const absl::string_view op = OpName(node);
  return HasRole(node, Role::kDequantize) || HasRole(node, Role::kObserve) ||
         op == "aten::to" || op == "aten::contiguous" || op == "aten::detach" ||
         op == "aten::clone" || op == "aten::dropout" || op == "aten::alias";
}

// The nodes that take `value`, by itself or in a list.
std::vector<const Node*> ConsumersOf(const Value& value) {
  std::vector<const Node*> consumers;
  for (const Use& use : value.uses()) {
    if (use.user->kind() != c10::prim::ListConstruct) {
      consumers.push_back(use.user);
      continue;
    }
    for (const Use& use_of_list : use.user->output()->uses()) {
      consumers.push_back(use_of_list.user);
    }
  }
  return consumers;
}

// The value of A at the place where the quantized tensor is first used: the
// matched consumer has the same inputs in the same order.
Value* ByConsumer(const Node& quantize, const MatchableNodes& nodes_a,
                  const MatchableNodes& nodes_b, const SubgraphPairs& pairs) {
  for (const Node* consumer : ConsumersOf(*quantize.output())) {
    const int b = nodes_b.IndexOf(consumer);
    const int a = b < 0 ? -1 : pairs.PartnerOfB(b);
    if (a < 0 || nodes_b[b].is_control_flow) {
      continue;
    }
    const std::vector<Value*> inputs_a = DataInputsOf(nodes_a[a]);
    const std::vector<Value*> inputs_b = DataInputsOf(nodes_b[b]);
    if (inputs_a.size() != inputs_b.size()) {
      continue;
    }
    const auto at =
        std::find(inputs_b.begin(), inputs_b.end(), quantize.output());
    if (at != inputs_b.end()) {
      return inputs_a[at - inputs_b.begin()];
    }
  }
  return nullptr;
}

// The constant index of `node`, an aten::__getitem__ of a list; -1 otherwise.
int64_t ElementIndex(const Node& node) {
  if (node.kind() != c10::aten::__getitem__) {
    return -1;
  }
  const auto index = ConstantOf(*node.input(1));
  return index && index->isInt() ? index->toInt() : -1;
}

// The value of A that is the same element of the same list as `value` of B,
// however either takes lists apart.
Value* ByListElement(const Value& value, const SubgraphPairs& pairs) {
  const Node* node = value.node();
  const bool unpacks = node->kind() == c10::prim::ListUnpack;
  const int64_t index =
      unpacks ? static_cast<int64_t>(value.offset()) : ElementIndex(*node);
  const Value* list_a = index < 0 ? nullptr : pairs.LinkedA(node->input(0));
  if (list_a == nullptr) {
    return nullptr;
  }
  for (const Use& use : list_a->uses()) {
    if (use.user->kind() == c10::prim::ListUnpack &&
        static_cast<size_t>(index) < use.user->outputs().size()) {
      return use.user->output(index);
    }
    if (ElementIndex(*use.user) == index) {
      return use.user->output();
    }
  }
  return nullptr;
}

// The control flow that stands directly in `block` and is not matched.
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

// Finds where in A what stands in control flow of B has its place, and which
// values are the same.
class Counterparts {
 public:
  Counterparts(const MatchableNodes& nodes_a, const MatchableNodes& nodes_b,
               const SubgraphPairs& pairs)
      : nodes_a_(nodes_a), nodes_b_(nodes_b), pairs_(pairs) {}

  // The block of A that corresponds to `block` of B: it holds the partners of
  // its nodes, or is the same arm or body of the partner of its control flow.
  // Null when there is none.
  Block* Of(const Block& block) const {
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
    const auto index = absl::c_find(blocks, &block) - blocks.begin();
    return partner->blocks()[index];
  }

  // The value of A that `value` of B is but for being quantized, whichever way
  // control flow takes; null when there is none. `seen` gets the values of B
  // that it is the same as, and that tell.
  using Values = absl::flat_hash_set<Value*>;
  Value* SameValue(Value* value, Values& seen) const {
    return Find(value, seen).value_or(nullptr);
  }

 private:
  // Nothing for what leads back to where it came from.
  using Found = std::optional<Value*>;

  bool IsMatchedB(const Node& node) const {
    const int b = nodes_b_.IndexOf(&node);
    return b >= 0 && pairs_.PartnerOfB(b) >= 0;
  }

  bool IsMatchedA(const Node& node) const {
    const int a = nodes_a_.IndexOf(&node);
    return a >= 0 && pairs_.PartnerOfA(a) >= 0;
  }

  // Control flow of A for that of B. Where nothing inside is matched, it is
  // told by what it gives, or by its place among others of its kind.
  Node* PartnerOf(const Node& control) const {
    if (IsMatchedB(control)) {
      Node* partner =
          nodes_a_[pairs_.PartnerOfB(nodes_b_.IndexOf(&control))].node;
      return partner->kind() == control.kind() ? partner : nullptr;
    }
    Block* block_b = const_cast<Block*>(control.owningBlock());
    Block* block_a = Of(*block_b);
    if (block_a == nullptr) {
      return nullptr;
    }
    const std::vector<Node*> all_a =
        ControlFlowIn(*block_a, control.kind(),
                      [&](const Node& node) { return IsMatchedA(node); });
    const std::vector<Node*> all_b =
        ControlFlowIn(*block_b, control.kind(),
                      [&](const Node& node) { return IsMatchedB(node); });
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

  Found Find(Value* value, Values& seen) const {
    if (!seen.insert(value).second) {
      return std::nullopt;
    }
    if (Value* linked = pairs_.LinkedA(value)) {
      return linked;
    }
    Node& node = *value->node();
    if (node.kind() == c10::prim::If) {
      Found found;
      for (Block* arm : node.blocks()) {
        found = Join(found, Find(arm->outputs()[value->offset()], seen));
      }
      return found;
    }
    if (node.kind() == c10::prim::Loop) {
      return FindCarried(node, value->offset(), seen);
    }
    Node* owner = node.owningBlock()->owningNode();
    if (node.kind() == c10::prim::Param && owner != nullptr &&
        value->offset() > 0) {
      return FindCarried(*owner, value->offset() - 1, seen);
    }
    const bool keeps = KeepsValues(node) || HasRole(node, Role::kQuantize);
    return keeps && IsTensor(*node.input(0)) ? Find(node.input(0), seen)
                                             : Found(nullptr);
  }

  // Of what a loop carries on as its result `index`.
  Found FindCarried(Node& loop, size_t index, Values& seen) const {
    const Found first = Find(loop.input(index + 2), seen);
    return Join(first, Find(loop.blocks()[0]->outputs()[index + 1], seen));
  }

  static Found Join(const Found& a, const Found& b) {
    if (!a || !b) {
      return a ? a : b;
    }
    return *a == *b ? a : Found(nullptr);
  }

  const MatchableNodes& nodes_a_;
  const MatchableNodes& nodes_b_;
  const SubgraphPairs& pairs_;
};

// True when `outer` is around `block`.
bool IsAround(const Block* outer, const Block& block) {
  for (const Node* owner = block.owningNode(); owner != nullptr;
       owner = owner->owningBlock()->owningNode()) {
    if (owner->owningBlock() == outer) {
      return true;
    }
  }
  return false;
}

// True for a node that quantizes an activation as a whole.
bool IsQuantizePoint(const Node& node) {
  static const auto kPerChannel =
      c10::Symbol::fromQualString("aten::quantize_per_channel");
  return node.kind() != kPerChannel && IsTensor(*node.inputs()[0]) &&
         !ConstantOf(*node.inputs()[0]);
}

QuantizePoint PointAt(Node* node, const MatchableNodes& nodes_a,
                      const MatchableNodes& nodes_b, const SubgraphPairs& pairs,
                      const Counterparts& counterparts,
                      const OverwrittenValues& overwritten) {
  QuantizePoint point;
  point.node = node;
  point.source = node->input(0);
  point.value_a = pairs.LinkedA(point.source);
  while (KeepsValues(*point.source->node()) &&
         IsTensor(*point.source->node()->input(0))) {
    point.source = point.source->node()->input(0);
    if (point.value_a == nullptr) {
      point.value_a = pairs.LinkedA(point.source);
    }
  }
  Block* const block = counterparts.Of(*node->owningBlock());
  if (point.value_a == nullptr) {
    point.value_a = ByListElement(*point.source, pairs);
  }
  Counterparts::Values same_in_b = {point.source};
  if (point.value_a == nullptr) {
    same_in_b.clear();
    Value* same = counterparts.SameValue(point.source, same_in_b);
    // Not one that is known in another arm only.
    if (same != nullptr && block != nullptr &&
        (same->node()->owningBlock() == block ||
         IsAround(same->node()->owningBlock(), *block))) {
      point.value_a = same;
    }
  }
  if (point.value_a == nullptr) {
    point.value_a = ByConsumer(*node, nodes_a, nodes_b, pairs);
  }
  if (point.value_a != nullptr && block != nullptr &&
      IsAround(point.value_a->node()->owningBlock(), *block)) {
    point.block_a = block;
  }
  point.is_overwritten = absl::c_any_of(same_in_b, [&](Value* value) {
    return point.block_a != nullptr
               ? overwritten.IsOverwrittenInBlock(value, *node)
               : overwritten.IsOverwritten(value, *node);
  });
  return point;
}

}  // namespace

std::vector<QuantizePoint> FindQuantizePoints(const MatchableNodes& nodes_a,
                                              const MatchableNodes& nodes_b,
                                              const SubgraphPairs& pairs) {
  const Counterparts counterparts(nodes_a, nodes_b, pairs);
  const OverwrittenValues overwritten(nodes_b.graph());
  std::vector<QuantizePoint> points;
  for (Node* node : nodes_b.quantize_nodes()) {
    if (IsQuantizePoint(*node)) {
      points.push_back(
          PointAt(node, nodes_a, nodes_b, pairs, counterparts, overwritten));
    }
  }
  return points;
}

}  // namespace ns
