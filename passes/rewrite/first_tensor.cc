#include "passes/rewrite/first_tensor.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/str_cat.h"
#include "ir/insert_op.h"
#include "ir/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Value;

bool HasFirstTensor(const c10::Type& type) {
  if (type.isSubtypeOf(*c10::TensorType::get())) {
    return true;
  }
  if (type.kind() != c10::TypeKind::TupleType &&
      type.kind() != c10::TypeKind::ListType) {
    return false;
  }
  for (const c10::TypePtr& element : type.containedTypes()) {
    if (HasFirstTensor(*element)) {
      return true;
    }
  }
  return false;
}

// `value` has a first tensor.
absl::StatusOr<Value*> TakeOut(Graph& graph, Value* value) {
  const c10::TypePtr type = value->type();
  if (type->kind() == c10::TypeKind::ListType) {
    NS_ASSIGN_OR_RETURN(Value * first,
                        InsertOp(graph, "aten::__getitem__", {value, 0}));
    return TakeOut(graph, first);
  }
  if (type->kind() != c10::TypeKind::TupleType) {
    return value;
  }
  const at::ArrayRef<c10::TypePtr> elements = type->containedTypes();
  size_t index = 0;
  while (!HasFirstTensor(*elements[index])) {
    ++index;
  }
  Value* position = graph.insertConstant(static_cast<int64_t>(index));
  return TakeOut(graph, graph
                            .insertNode(graph.createTupleIndex(value, position,
                                                               elements[index]))
                            ->output());
}

}  // namespace

absl::StatusOr<Value*> FirstTensor(Value* value, torch::jit::Node* place) {
  if (!HasFirstTensor(*value->type())) {
    return absl::InvalidArgumentError(
        absl::StrCat("a value of type ", value->type()->repr_str(),
                     " cannot be logged: it has no first tensor"));
  }
  return InsertOrTakeBack(
      *place, [&] { return TakeOut(*value->owningGraph(), value); });
}

}  // namespace ns
