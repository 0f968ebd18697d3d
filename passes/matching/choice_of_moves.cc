#include "passes/matching/choice_of_moves.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ir/control_flow.h"
#include "ir/data_inputs.h"
#include "ir/node_view.h"
#include "passes/matching/value_keeping.h"

namespace ns {
namespace {

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

// Absent where output `index` of an arm of `choice` is anything else.
std::optional<Moved> MovedBy(const Node& choice, size_t arm, size_t index) {
  Moved moved;
  moved.from = const_cast<Value*>(choice.blocks()[arm]->outputs()[index]);
  while (IsInside(*moved.from->node(), choice)) {
    const Node& node = *moved.from->node();
    Value* input = MovesOrKeepsValues(node) ? FirstDataInput(node) : nullptr;
    if (input == nullptr) {
      return std::nullopt;
    }
    if (!KeepsValues(node)) {
      moved.ops.emplace_back(OpName(node));
    }
    moved.from = input;
  }
  return moved;
}

// The output of a prim::If whose arm `arm` hands `passed` on, and whose other
// arm does as `other` says. Null where there are several with different
// conditions: which of them it is, the graph does not tell.
Value* FindChoice(Value& passed, size_t arm, const Moved& other) {
  Value* found = nullptr;
  for (const Use& use : passed.uses()) {
    Node* choice = use.user->owningBlock()->owningNode();
    if (use.user->kind() != c10::prim::Return || choice == nullptr ||
        choice->kind() != c10::prim::If ||
        choice->blocks()[arm] != use.user->owningBlock()) {
      continue;
    }
    const auto moved = MovedBy(*choice, 1 - arm, use.offset);
    if (!moved || moved->from != other.from || moved->ops != other.ops) {
      continue;
    }
    if (found != nullptr && found->node()->input(0) != choice->input(0)) {
      return nullptr;
    }
    found = choice->output(use.offset);
  }
  return found;
}

}  // namespace

Value* CounterpartOfChoice(const Value& value,
                           absl::FunctionRef<Value*(Value*)> in_a) {
  const Node& choice = *value.node();
  if (choice.kind() != c10::prim::If) {
    return nullptr;
  }
  for (size_t arm = 0; arm < 2; ++arm) {
    const auto passed = MovedBy(choice, arm, value.offset());
    auto other = MovedBy(choice, 1 - arm, value.offset());
    if (!passed || !passed->ops.empty() || !other || other->ops.empty()) {
      continue;
    }
    Value* passed_in_a = in_a(passed->from);
    other->from = in_a(other->from);
    if (passed_in_a != nullptr && other->from != nullptr) {
      return FindChoice(*passed_in_a, arm, *other);
    }
  }
  return nullptr;
}

}  // namespace ns
