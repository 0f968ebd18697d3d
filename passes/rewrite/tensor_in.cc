#include "passes/rewrite/tensor_in.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/str_cat.h"
#include "ir/torch_errors.h"
#include "passes/analysis/op_outputs.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Value;

// Does what TensorIn does for a `value` that holds more than `place` tensors.
Value* TakeOut(Graph& graph, Value* value, size_t place) {
  const c10::TypePtr type = value->type();
  if (type->kind() == c10::TypeKind::ListType) {
    return TakeOut(graph, graph.insert(c10::aten::__getitem__, {value, 0}),
                   place);
  }
  if (type->kind() != c10::TypeKind::TupleType) {
    return value;
  }
  const at::ArrayRef<c10::TypePtr> elements = type->containedTypes();
  size_t index = 0;
  for (size_t count = CountTensors(*elements[index]); place >= count;
       count = CountTensors(*elements[index])) {
    place -= count;
    ++index;
  }
  Value* position = graph.insertConstant(static_cast<int64_t>(index));
  return TakeOut(
      graph,
      graph
          .insertNode(graph.createTupleIndex(value, position, elements[index]))
          ->output(),
      place);
}

}  // namespace

absl::StatusOr<Value*> TensorIn(Value* value, size_t place,
                                torch::jit::Node* node) {
  const size_t count = CountTensors(*value->type());
  if (place >= count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a value of type ", value->type()->repr_str(), " cannot be logged: it ",
        count == 0 ? "has no first tensor"
                   : absl::StrCat("has ", count, " tensors, and number ",
                                  place + 1, " is asked for")));
  }
  return CatchTorchErrors("taking out a tensor", [&] {
    torch::jit::WithInsertPoint at(node);
    return TakeOut(*value->owningGraph(), value, place);
  });
}

}  // namespace ns
