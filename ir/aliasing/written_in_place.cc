#include "ir/aliasing/written_in_place.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <vector>

#include "ir/graph/handed_on.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"

namespace ns {
namespace {

using ::torch::jit::Use;
using ::torch::jit::Value;
using Values = std::vector<const Value*>;

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

}  // namespace

bool IsWrittenInPlace(const Value& value) {
  const bool is_container = IsContainer(*value.type());
  Values reached = {&value};
  llvm::DenseSet<const Value*> seen = {&value};
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
