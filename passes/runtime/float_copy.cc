#include "passes/runtime/float_copy.h"

#include <ATen/core/List.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <utility>
#include <vector>

#include "passes/runtime/dtype_casts.h"

namespace ns {
namespace {

const torch::jit::RegisterOperators kRegistration({
    torch::jit::Operator(
        "ns::float_copy(t x) -> t",
        [](torch::jit::Stack& stack) {
          c10::IValue copy = FloatCopy(stack.back());
          stack.back() = std::move(copy);
        },
        c10::AliasAnalysisKind::FROM_SCHEMA),
});

at::Tensor CopyOfTensor(const at::Tensor& x) {
  const at::Tensor as_float = AsFloat(x);
  return as_float.is_same(x) ? x.clone() : as_float;
}

c10::IValue CopyOfTuple(const c10::ivalue::Tuple& tuple) {
  std::vector<c10::IValue> elements;
  for (const c10::IValue& element : tuple.elements()) {
    elements.push_back(FloatCopy(element));
  }
  const c10::TupleTypePtr type = tuple.type();
  return type->name()
             ? c10::ivalue::Tuple::createNamed(std::move(elements), type)
             : c10::ivalue::Tuple::create(std::move(elements));
}

}  // namespace

c10::IValue FloatCopy(const c10::IValue& value) {
  if (value.isTensor()) {
    return value.toTensor().defined() ? CopyOfTensor(value.toTensor()) : value;
  }
  if (value.isTuple()) {
    return CopyOfTuple(*value.toTuple());
  }
  if (value.isList()) {
    const c10::List<c10::IValue> list = value.toList();
    c10::impl::GenericList copy(list.elementType());
    copy.reserve(list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      copy.push_back(FloatCopy(list.get(i)));
    }
    return copy;
  }
  if (value.isGenericDict()) {
    const auto dict = value.toGenericDict();
    c10::impl::GenericDict copy(dict.keyType(), dict.valueType());
    for (const auto& entry : dict) {
      copy.insert(entry.key(), FloatCopy(entry.value()));
    }
    return copy;
  }
  return value;
}

}  // namespace ns
