#include "ir/written_in_place.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;
using Values = std::vector<const Value*>;
namespace prim = ::c10::prim;

// True for types whose values hold others.
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

// True for types of values that no op can change.
bool IsImmutable(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::BoolType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::IntType:
    case c10::TypeKind::NoneType:
    case c10::TypeKind::StringType:
      return true;
    default:
      return false;
  }
}

// Returns what the op's schema says about the argument; null for nothing.
const c10::AliasInfo* AliasOf(const Use& use) {
  const c10::FunctionSchema* schema = use.user->maybeSchema();
  return schema == nullptr || use.offset >= schema->arguments().size()
             ? nullptr
             : schema->arguments()[use.offset].alias_info();
}

// Whether the op writes to what it is given, or to the elements of that.
bool Writes(const Use& use, bool elements_only) {
  if (const c10::AliasInfo* alias = AliasOf(use)) {
    const auto& elements = alias->containedTypes();
    return (alias->isWrite() && !elements_only) ||
           std::any_of(
               elements.begin(), elements.end(),
               [](const c10::AliasInfo& element) { return element.isWrite(); });
  }
  // The schema of quantized::relu6 hides that it writes to its first input.
  const c10::FunctionSchema* schema = use.user->maybeSchema();
  return use.offset == 0 && schema != nullptr && !schema->is_mutable() &&
         use.user->blocks().empty() && WorksInPlace(*use.user);
}

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

// Returns what the value of `use` may be behind it, and what may hold it there.
Values HandedOnTo(const Use& use) {
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

}  // namespace

bool IsWrittenInPlace(const Value& value) {
  const bool is_container = IsContainer(*value.type());
  Values reached = {&value};
  absl::flat_hash_set<const Value*> seen = {&value};
  for (size_t i = 0; i < reached.size(); ++i) {
    const c10::Type& type = *reached[i]->type();
    if (IsImmutable(type)) {
      continue;
    }
    for (const Use& use : reached[i]->uses()) {
      if (Writes(use, /*elements_only=*/!is_container && IsContainer(type))) {
        return true;
      }
      for (const Value* next : HandedOnTo(use)) {
        if (seen.insert(next).second) {
          reached.push_back(next);
        }
      }
    }
  }
  return false;
}

}  // namespace ns
