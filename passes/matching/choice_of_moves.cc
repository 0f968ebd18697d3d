#include "passes/matching/choice_of_moves.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/node_view.h"
#include "passes/matching/value_keeping.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

// What an arm hands on.
struct Moved {
  // A value from outside of the prim::If.
  Value* from = nullptr;
  // The ops that move its elements, the last one first.
  std::vector<std::string> ops;
};

// What the arms of `choice` hand on as output `index`; empty where one of them
// computes something.
std::vector<Moved> MovedBy(const Node& choice, size_t index) {
  std::vector<Moved> arms;
  for (const Block* arm : choice.blocks()) {
    Moved moved;
    moved.from = const_cast<Value*>(arm->outputs()[index]);
    while (IsInside(*moved.from->node(), choice)) {
      const Node& node = *moved.from->node();
      Value* input = MovesOrKeepsValues(node) ? FirstDataInput(node) : nullptr;
      if (input == nullptr) {
        return {};
      }
      if (!KeepsValues(node)) {
        moved.ops.emplace_back(OpName(node));
      }
      moved.from = input;
    }
    arms.push_back(std::move(moved));
  }
  return arms;
}

// Returns the outputs of prim::Ifs whose arms do as `moved` says, at least one
// of which hands its value on as it is.
std::vector<Value*> ChoicesOf(const std::vector<Moved>& moved) {
  std::vector<Value*> choices;
  const auto passed =
      absl::c_find_if(moved, [](const Moved& arm) { return arm.ops.empty(); });
  if (passed == moved.end()) {
    return choices;
  }
  const auto is_same = [](const Moved& a, const Moved& b) {
    return a.from == b.from && a.ops == b.ops;
  };
  for (const Use& use : passed->from->uses()) {
    Node* choice = use.user->owningBlock()->owningNode();
    if (use.user->kind() == c10::prim::Return && choice != nullptr &&
        choice->kind() == c10::prim::If &&
        absl::c_equal(moved, MovedBy(*choice, use.offset), is_same)) {
      choices.push_back(choice->output(use.offset));
    }
  }
  return choices;
}

// Whether two ops that move elements may do the same: a view and a reshape are
// written for each other.
bool AreAlikeMoves(const OpRow& a, const OpRow& b) {
  return a.family == b.family ||
         (a.role == Role::kTransparent && b.role == Role::kTransparent);
}

// Returns the value of A that `value` corresponds to; null where there is none.
// One that is moved is what the only op of A gives that moves its counterpart
// alike.
Value* InA(Value* value, const Counterparts& counterparts) {
  if (Value* a = counterparts.Find(value).a) {
    return a;
  }
  while (KeepsOrQuantizesValues(*value->node()) &&
         IsTensor(*value->node()->input(0))) {
    value = value->node()->input(0);
  }
  const Node& node = *value->node();
  const OpRow* row = FindOp(OpName(node));
  Value* input = row != nullptr && MovesOrKeepsValues(node)
                     ? FirstDataInput(node)
                     : nullptr;
  Value* input_in_a = input == nullptr ? nullptr : InA(input, counterparts);
  if (input_in_a == nullptr) {
    return nullptr;
  }
  const auto is_alike = [&](const Use& use) {
    const OpRow* other = FindOp(OpName(*use.user));
    return other != nullptr && AreAlikeMoves(*row, *other);
  };
  return absl::c_count_if(input_in_a->uses(), is_alike) == 1
             ? absl::c_find_if(input_in_a->uses(), is_alike)->user->output()
             : nullptr;
}

}  // namespace

Value* CounterpartOfChoice(const Value& value,
                           const Counterparts& counterparts) {
  const Node& choice = *value.node();
  if (choice.kind() != c10::prim::If) {
    return nullptr;
  }
  std::vector<Moved> moved = MovedBy(choice, value.offset());
  for (Moved& arm : moved) {
    arm.from = InA(arm.from, counterparts);
    if (arm.from == nullptr) {
      return nullptr;
    }
  }
  const std::vector<Value*> found = ChoicesOf(moved);
  const auto decides_alike = [&](const Value* output) {
    return output->node()->input(0) == found[0]->node()->input(0);
  };
  if (!found.empty() && absl::c_all_of(found, decides_alike)) {
    return found[0];
  }
  const Block* arm_of_a = counterparts.Of(*choice.blocks()[0]);
  const auto partner = absl::c_find_if(found, [&](const Value* output) {
    return arm_of_a != nullptr && output->node() == arm_of_a->owningNode();
  });
  return partner == found.end() ? nullptr : *partner;
}

}  // namespace ns
