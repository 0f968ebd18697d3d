#include "ir/graph/handed_on.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <vector>

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;
using Values = std::vector<const Value*>;
namespace prim = ::c10::prim;

// True for ops without a schema whose outputs may be their inputs, or hold
// them, or be held by them.
bool HandsOnInputs(const Node& node) {
  switch (node.kind()) {
    case prim::DictConstruct:
    case prim::ListConstruct:
    case prim::ListUnpack:
    case prim::TupleConstruct:
    case prim::TupleIndex:
    case prim::TupleSlice:
    case prim::TupleUnpack:
    case prim::unchecked_cast:
    case prim::unchecked_unwrap_optional:
      return true;
    default:
      return false;
  }
}

// Returns what is the value that `loop` carries at `index`: in its body, and
// behind it.
Values Carried(const Node& loop, size_t index) {
  return {loop.blocks()[0]->inputs()[index + 1], loop.outputs()[index]};
}

// Returns what a value becomes that a block returns.
Values BehindBlock(const Use& use) {
  const Node* owner = use.user->owningBlock()->owningNode();
  if (owner != nullptr && owner->kind() == prim::If) {
    return {owner->outputs()[use.offset]};
  }
  // A body returns first whether to go on.
  return owner != nullptr && owner->kind() == prim::Loop && use.offset > 0
             ? Carried(*owner, use.offset - 1)
             : Values();
}

// Returns what may be the argument, or hold it, by the schema of the op.
Values BehindOp(const Use& use) {
  const c10::FunctionSchema* schema = use.user->maybeSchema();
  if (schema == nullptr || use.offset >= schema->arguments().size()) {
    return {};
  }
  const Node& op = *use.user;
  const bool is_container = IsContainer(*op.inputs()[use.offset]->type());
  const bool is_aliased = AliasOf(use) != nullptr;
  Values values;
  for (size_t i = 0; i < op.outputs().size(); ++i) {
    const Value* output = op.outputs()[i];
    const c10::AliasInfo* returned = i < schema->returns().size()
                                         ? schema->returns()[i].alias_info()
                                         : nullptr;
    if (is_aliased || (is_container && IsContainer(*output->type())) ||
        (returned != nullptr && returned->isWildcardBefore())) {
      values.push_back(output);
    }
  }
  // What it writes to may hold the argument from now on, as with append. Of
  // extend's argument the schema says nothing, though its elements are kept.
  for (size_t i = 0; i < op.inputs().size(); ++i) {
    const c10::AliasInfo* written = AliasOf({use.user, i});
    if (written != nullptr && written->isWrite() &&
        (is_aliased || is_container) && IsContainer(*op.inputs()[i]->type())) {
      values.push_back(op.inputs()[i]);
    }
  }
  return values;
}

}  // namespace

bool IsContainer(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::DictType:
    case c10::TypeKind::ListType:
    case c10::TypeKind::TupleType:
      return true;
    case c10::TypeKind::OptionalType:
      return IsContainer(*type.castRaw<c10::OptionalType>()->getElementType());
    default:
      return false;
  }
}

const c10::AliasInfo* AliasOf(const Use& use) {
  const c10::FunctionSchema* schema = use.user->maybeSchema();
  return schema == nullptr || use.offset >= schema->arguments().size()
             ? nullptr
             : schema->arguments()[use.offset].alias_info();
}

std::vector<const Value*> HandedOnTo(const Use& use) {
  const Node& user = *use.user;
  if (user.kind() == prim::Return) {
    return BehindBlock(use);
  }
  if (user.kind() == prim::Loop) {
    // Its first inputs are how many trips it takes, and whether to begin.
    return use.offset < 2 ? Values() : Carried(user, use.offset - 2);
  }
  if (HandsOnInputs(user)) {
    return {user.outputs().begin(), user.outputs().end()};
  }
  return BehindOp(use);
}

}  // namespace ns
