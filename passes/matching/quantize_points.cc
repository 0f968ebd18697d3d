#include "passes/matching/quantize_points.h"

#include <torch/csrc/jit/ir/ir.h>

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/matching/choice_of_moves.h"
#include "passes/matching/counterparts.h"
#include "passes/matching/overwritten_values.h"
#include "passes/matching/value_keeping.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

// Returns the nodes that take `value`, by itself or in a list.
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

// Returns the value of A at the place where the quantized tensor, or what it is
// cast to, is first used: the matched consumer has the same inputs in the same
// order.
Value* ByConsumer(const Node& quantize, const MatchableNodes& nodes_a,
                  const MatchableNodes& nodes_b, const SubgraphPairs& pairs,
                  const UnpairedInputs& unpaired) {
  std::vector<const Value*> values = {quantize.output()};
  for (size_t i = 0; i < values.size(); ++i) {
    for (const Node* consumer : ConsumersOf(*values[i])) {
      if (KeepsValues(*consumer) && IsTensor(*consumer->output())) {
        values.push_back(consumer->output());
      }
      const int b = nodes_b.IndexOf(consumer);
      const int a = b < 0 ? -1 : pairs.PartnerOfB(b);
      if (a < 0 || nodes_b[b].is_control_flow ||
          !unpaired.ReasonFor(a, b).empty()) {
        continue;
      }
      const std::vector<Value*> inputs_a = DataInputsOf(nodes_a[a]);
      const std::vector<Value*> inputs_b = DataInputsOf(nodes_b[b]);
      const auto at = absl::c_find(inputs_b, values[i]);
      if (inputs_a.size() == inputs_b.size() && at != inputs_b.end()) {
        return inputs_a[at - inputs_b.begin()];
      }
    }
  }
  return nullptr;
}

// Returns the constant index of `node`, an aten::__getitem__ of a list; below 0
// where it counts from the end. Absent for other nodes.
std::optional<int64_t> ElementIndex(const Node& node) {
  if (node.kind() != c10::aten::__getitem__) {
    return std::nullopt;
  }
  const auto index = ConstantOf(*node.input(1));
  return index && index->isInt() ? std::optional(index->toInt()) : std::nullopt;
}

// Returns the value of A that is the same element of the same list as `value`
// of B, whichever ops take the lists apart. It exists wherever `block` of A
// runs: one in another arm of an If does not count.
Value* ByListElement(const Value& value, const SubgraphPairs& pairs,
                     const Block& block) {
  const Node* node = value.node();
  const bool unpacks = node->kind() == c10::prim::ListUnpack;
  const std::optional<int64_t> index =
      unpacks ? static_cast<int64_t>(value.offset()) : ElementIndex(*node);
  const Value* list_a = index ? pairs.LinkedA(node->input(0)) : nullptr;
  if (list_a == nullptr) {
    return nullptr;
  }
  for (const Use& use : list_a->uses()) {
    if (!IsWithin(*block.param_node(), *use.user->owningBlock())) {
      continue;
    }
    if (use.user->kind() == c10::prim::ListUnpack) {
      const auto count = static_cast<int64_t>(use.user->outputs().size());
      const int64_t place = *index < 0 ? *index + count : *index;
      if (place >= 0 && place < count) {
        return use.user->output(static_cast<size_t>(place));
      }
    }
    if (ElementIndex(*use.user) == index) {
      return use.user->output();
    }
  }
  return nullptr;
}

// True for a node that quantizes an activation as a whole.
bool IsQuantizePoint(const Node& node) {
  static const auto kPerChannel =
      c10::Symbol::fromQualString("aten::quantize_per_channel");
  return node.kind() != kPerChannel && IsTensor(*node.inputs()[0]) &&
         !ConstantOf(*node.inputs()[0]);
}

// Whether `a` and `b` quantize with the same constants.
bool HaveSameConstants(const Node& a, const Node& b) {
  for (const size_t i : {size_t{1}, size_t{2}}) {
    if (a.inputs().size() <= i || b.inputs().size() <= i) {
      return false;
    }
    const std::optional<double> of_a = NumberOf(*a.input(i));
    if (!of_a || of_a != NumberOf(*b.input(i))) {
      return false;
    }
  }
  return true;
}

// Returns what a quantize node of A makes of `value`, where A is quantized
// itself: with the constants of `quantize`, or else the only one. Null for a
// float model.
Value* QuantizedIn(Value& value, const Node& quantize,
                   const MatchableNodes& nodes_a) {
  std::vector<Node*> found;
  for (Node* node : nodes_a.quantize_nodes()) {
    Value* source = node->input(0);
    while (source != &value && KeepsValues(*source->node())) {
      source = source->node()->input(0);
    }
    if (source == &value && IsQuantizePoint(*node)) {
      found.push_back(node);
    }
  }
  const auto same = absl::c_find_if(found, [&](const Node* node) {
    return HaveSameConstants(*node, quantize);
  });
  return same != found.end() ? (*same)->output()
         : found.size() == 1 ? found.front()->output()
                             : nullptr;
}

class PointFinder {
 public:
  PointFinder(const MatchableNodes& nodes_a, const MatchableNodes& nodes_b,
              const SubgraphPairs& pairs, const UnpairedInputs& unpaired)
      : nodes_a_(nodes_a),
        nodes_b_(nodes_b),
        pairs_(pairs),
        unpaired_(unpaired),
        counterparts_(nodes_a, nodes_b, pairs),
        overwritten_a_(nodes_a.graph()),
        overwritten_b_(nodes_b.graph()) {}

  QuantizePoint PointAt(Node* node) const {
    QuantizePoint point;
    point.node = node;
    point.source = node->input(0);
    Values same_in_b = {point.source};
    Value* a = pairs_.LinkedA(point.source);
    while (KeepsValues(*point.source->node()) &&
           IsTensor(*point.source->node()->input(0))) {
      point.source = point.source->node()->input(0);
      same_in_b.insert(point.source);
      if (a == nullptr) {
        a = pairs_.LinkedA(point.source);
      }
    }
    Block* const block = counterparts_.Of(*node->owningBlock());
    if (a == nullptr && block != nullptr) {
      a = ByListElement(*point.source, pairs_, *block);
    }
    if (a == nullptr) {
      const SameValue same = counterparts_.Find(point.source);
      // A value that exists in another arm only does not count.
      if (same.a != nullptr && block != nullptr &&
          IsWithin(*block->param_node(), *same.a->node()->owningBlock())) {
        a = same.a;
        same_in_b.insert(same.b.begin(), same.b.end());
      }
    }
    if (a == nullptr) {
      Value* choice = CounterpartOfChoice(*point.source, counterparts_);
      if (choice != nullptr && block != nullptr &&
          IsWithin(*block->param_node(), *choice->node()->owningBlock())) {
        a = choice;
      }
    }
    if (a == nullptr) {
      a = ByConsumer(*node, nodes_a_, nodes_b_, pairs_, unpaired_);
    }
    if (a == nullptr) {
      point.reason =
          "no value of the float model corresponds to what it quantizes";
      return point;
    }
    if (Value* quantized = QuantizedIn(*a, *node, nodes_a_);
        quantized != nullptr && block != nullptr &&
        IsWithin(*block->param_node(), *quantized->node()->owningBlock())) {
      a = quantized;
    }
    Block* const made_in = a->node()->owningBlock();
    if (block != nullptr && block != made_in &&
        IsWithin(*block->param_node(), *made_in)) {
      point.block_a = block;
    }
    if (IsOverwritten(overwritten_b_, same_in_b, *node, point) ||
        IsOverwritten(overwritten_a_, {a}, PlaceInA(*node, point), point)) {
      point.reason = "an op in place has written to what it quantizes";
      return point;
    }
    point.value_a = a;
    return point;
  }

 private:
  using Values = llvm::DenseSet<Value*>;

  static bool IsOverwritten(const OverwrittenValues& overwritten,
                            const Values& values, const Node& place,
                            const QuantizePoint& point) {
    return absl::c_any_of(values, [&](Value* value) {
      return point.block_a != nullptr
                 ? overwritten.IsOverwrittenInBlock(value, place)
                 : overwritten.IsOverwritten(value, place);
    });
  }

  // Returns a node of A that runs where `quantize` does in B or later: the
  // match of its first consumer, or the end.
  const Node& PlaceInA(const Node& quantize, const QuantizePoint& point) const {
    const Block& within =
        point.block_a != nullptr ? *point.block_a : *nodes_a_.graph().block();
    const Node* first = within.return_node();
    std::vector<const Node*> consumers = ConsumersOf(*quantize.output());
    while (!consumers.empty()) {
      const Node* consumer = consumers.back();
      consumers.pop_back();
      const int b = nodes_b_.IndexOf(consumer);
      const int a = b < 0 ? -1 : pairs_.PartnerOfB(b);
      if (a >= 0 && IsWithin(*nodes_a_[a].node, within) &&
          RunsBefore(*nodes_a_[a].node, *first)) {
        first = nodes_a_[a].node;
      } else if (KeepsValues(*consumer)) {
        absl::c_move(ConsumersOf(*consumer->output()),
                     std::back_inserter(consumers));
      }
    }
    while (point.block_a != nullptr && first->owningBlock() != point.block_a) {
      first = first->owningBlock()->owningNode();
    }
    return *first;
  }

  const MatchableNodes& nodes_a_;
  const MatchableNodes& nodes_b_;
  const SubgraphPairs& pairs_;
  const UnpairedInputs& unpaired_;
  const Counterparts counterparts_;
  const OverwrittenValues overwritten_a_;
  const OverwrittenValues overwritten_b_;
};

// Whether `node` stands in a matched prim::If that is one op as a whole, so
// that it is part of that op.
bool IsPartOfMatchedOp(const Node& node, const MatchableNodes& nodes,
                       const SubgraphPairs& pairs) {
  for (const Node* owner = node.owningBlock()->owningNode(); owner != nullptr;
       owner = owner->owningBlock()->owningNode()) {
    const int b = nodes.IndexOf(owner);
    if (b >= 0 && !nodes[b].is_control_flow && pairs.PartnerOfB(b) >= 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<QuantizePoint> FindQuantizePoints(const MatchableNodes& nodes_a,
                                              const MatchableNodes& nodes_b,
                                              const SubgraphPairs& pairs,
                                              const UnpairedInputs& unpaired) {
  std::vector<QuantizePoint> points;
  if (absl::c_none_of(nodes_b.quantize_nodes(), [](const Node* node) {
        return IsQuantizePoint(*node);
      })) {
    return points;
  }
  const PointFinder finder(nodes_a, nodes_b, pairs, unpaired);
  for (Node* node : nodes_b.quantize_nodes()) {
    if (!IsQuantizePoint(*node)) {
      continue;
    }
    QuantizePoint point = finder.PointAt(node);
    if (point.value_a != nullptr || !IsPartOfMatchedOp(*node, nodes_b, pairs)) {
      points.push_back(std::move(point));
    }
  }
  return points;
}

}  // namespace ns
