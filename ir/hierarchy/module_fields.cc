#include "ir/hierarchy/module_fields.h"

#include <memory>

namespace ns {

using ::torch::jit::Module;

std::optional<c10::IValue> FieldOf(const Module& module,
                                   const std::string& name) {
  if (module.hasattr(name)) {
    return module.attr(name);
  }
  const auto slot = module.type()->findConstantSlot(name);
  return slot ? std::make_optional(module.type()->getConstant(*slot))
              : std::nullopt;
}

void CopyFields(const Module& from, Module& to) {
  const std::shared_ptr<c10::ClassType> type = from.type();
  for (size_t i = 0; i < type->numConstants(); ++i) {
    if (!FieldOf(to, type->getConstantName(i))) {
      to.type()->addConstant(type->getConstantName(i), type->getConstant(i));
    }
  }
  for (const auto& attribute : from.named_attributes(/*recurse=*/false)) {
    const c10::IValue& value = attribute.value;
    if (!value.isTensor() && !value.isObject() && !value.isNone() &&
        !FieldOf(to, attribute.name)) {
      to.register_attribute(attribute.name, value.type(), value);
    }
  }
}

}  // namespace ns
