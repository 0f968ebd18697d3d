#include "passes/matching/quantize_points.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <vector>

#include "ir/node_view.h"
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

// The block of A that corresponds to `block` of B: it holds the partners of its
// nodes, or stands in the partner of its control flow. Null when there is none,
// and for the block of the whole graph.
Block* CounterpartOf(const Block& block, const MatchableNodes& nodes_a,
                     const MatchableNodes& nodes_b,
                     const SubgraphPairs& pairs) {
  const Node* owner = block.owningNode();
  if (owner == nullptr) {
    return nullptr;
  }
  for (const int b : nodes_b.InBlock(&block)) {
    const int a = pairs.PartnerOfB(b);
    if (a >= 0) {
      return nodes_a[a].node->owningBlock();
    }
  }
  const int b = nodes_b.IndexOf(owner);
  const int a = b < 0 ? -1 : pairs.PartnerOfB(b);
  if (a < 0) {
    return nullptr;
  }
  const auto blocks = owner->blocks();
  const auto blocks_a = nodes_a[a].node->blocks();
  const size_t i =
      std::find(blocks.begin(), blocks.end(), &block) - blocks.begin();
  return i < blocks_a.size() ? blocks_a[i] : nullptr;
}

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
                      const MatchableNodes& nodes_b,
                      const SubgraphPairs& pairs) {
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
  if (point.value_a == nullptr) {
    point.value_a = ByListElement(*point.source, pairs);
  }
  if (point.value_a == nullptr) {
    point.value_a = ByConsumer(*node, nodes_a, nodes_b, pairs);
  }
  if (point.value_a != nullptr) {
    Block* block = CounterpartOf(*node->owningBlock(), nodes_a, nodes_b, pairs);
    if (block != nullptr &&
        IsAround(point.value_a->node()->owningBlock(), *block)) {
      point.block_a = block;
    }
  }
  return point;
}

}  // namespace

std::vector<QuantizePoint> FindQuantizePoints(const MatchableNodes& nodes_a,
                                              const MatchableNodes& nodes_b,
                                              const SubgraphPairs& pairs) {
  std::vector<QuantizePoint> points;
  for (Node* node : nodes_b.quantize_nodes()) {
    if (IsQuantizePoint(*node)) {
      points.push_back(PointAt(node, nodes_a, nodes_b, pairs));
    }
  }
  return points;
}

}  // namespace ns
