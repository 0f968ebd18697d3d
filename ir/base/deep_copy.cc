#include "ir/base/deep_copy.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/jit_type.h>

#include <utility>
#include <vector>

namespace ns {
namespace {

at::Tensor CopyOf(const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return tensor;
  }
  const at::NoGradGuard no_grad;
  // What is computed with gradients becomes a plain tensor: ops in place must
  // not write to leaves that have gradients.
  return tensor.clone().set_requires_grad(tensor.is_leaf() &&
                                          tensor.requires_grad());
}

}  // namespace

c10::IValue DeepCopier::Copy(const c10::IValue& value) {
  if (!value.isPtrType() || value.isString()) {
    return value;
  }
  const void* const address = value.isTensor()
                                  ? value.toTensor().unsafeGetTensorImpl()
                                  : value.internalToPointer();
  if (const auto known = copies_.find(address); known != copies_.end()) {
    return known->second.second;
  }
  c10::IValue copy = CopyOnce(value);
  copies_.insert({address, {value, copy}});
  return copy;
}

c10::IValue DeepCopier::CopyOnce(const c10::IValue& value) {
  if (value.isTensor()) {
    return CopyOf(value.toTensor());
  }
  if (value.isList()) {
    c10::impl::GenericList list(value.toList().elementType());
    for (const c10::IValue& element : value.toListRef()) {
      list.push_back(Copy(element));
    }
    return list;
  }
  if (value.isGenericDict()) {
    const c10::impl::GenericDict dict = value.toGenericDict();
    c10::impl::GenericDict copy(dict.keyType(), dict.valueType());
    for (const auto& entry : dict) {
      copy.insert(Copy(entry.key()), Copy(entry.value()));
    }
    return copy;
  }
  if (value.isTuple()) {
    std::vector<c10::IValue> elements;
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      elements.push_back(Copy(element));
    }
    return c10::ivalue::Tuple::createNamed(
        std::move(elements), value.type()->expect<c10::TupleType>());
  }
  return value.deepcopy();
}

}  // namespace ns
