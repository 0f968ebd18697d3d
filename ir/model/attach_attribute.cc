#include "ir/model/attach_attribute.h"

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace ns {

std::string FreeAttributeName(const torch::jit::Module& module,
                              absl::string_view prefix, int first) {
  std::string name = absl::StrCat(prefix, first);
  for (int i = first + 1; module.hasattr(name); ++i) {
    name = absl::StrCat(prefix, i);
  }
  return name;
}

std::string AttachAttribute(torch::jit::Module& module,
                            absl::string_view prefix, const c10::IValue& object,
                            int first) {
  std::string name = FreeAttributeName(module, prefix, first);
  module.register_attribute(name, object.type(), object);
  return name;
}

}  // namespace ns
