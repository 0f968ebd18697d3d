#include "passes/rewrite/tensor_in.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/op_outputs.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
using ::torch::jit::WithInsertPoint;

Value* TakeOut(Graph& graph, Value* value, size_t place);

// Takes it out of an element of `list`: of the first or, where the elements are
// tensors, of that with the index `place`. Only a run tells whether there is
// one.
Value* TakeOutOfList(Graph& graph, Value* list, size_t place) {
  const int64_t index = IsTensorList(*list) ? static_cast<int64_t>(place) : 0;
  Value* length = graph.insert(c10::aten::len, {list});
  Value* has_it = graph.insert(c10::aten::gt, {length, index});
  Node* branch = graph.insertNode(graph.create(c10::prim::If, {has_it}, 1));
  Block* then_block = branch->addBlock();
  Block* else_block = branch->addBlock();
  {
    const WithInsertPoint at(then_block);
    Value* element = graph.insert(c10::aten::__getitem__, {list, index});
    then_block->registerOutput(
        TakeOut(graph, element, IsTensorList(*list) ? 0 : place));
  }
  {
    const WithInsertPoint at(else_block);
    else_block->registerOutput(graph.insertConstant(at::empty({0})));
  }
  return branch->output()->setType(c10::TensorType::get());
}

// Does what TensorIn does for a `value` that holds more than `place` tensors.
Value* TakeOut(Graph& graph, Value* value, size_t place) {
  const c10::TypePtr type = value->type();
  if (place == kAllElements) {
    return graph.insert(c10::Symbol::fromQualString("ns::all_elements"),
                        {value});
  }
  if (type->kind() == c10::TypeKind::ListType) {
    return TakeOutOfList(graph, value, place);
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

absl::StatusOr<Value*> TensorIn(Value* value, size_t place, Node* node) {
  const size_t count = CountTensors(*value->type());
  if (place >= count && !IsTensorList(*value)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a value of type ", value->type()->repr_str(), " cannot be logged: it ",
        count == 0 ? "has no first tensor"
                   : absl::StrCat("has ", count, " tensors, and number ",
                                  place + 1, " is asked for")));
  }
  return CatchTorchErrors("taking out a tensor", [&] {
    const WithInsertPoint at(node);
    return TakeOut(*value->owningGraph(), value, place);
  });
}

}  // namespace ns
