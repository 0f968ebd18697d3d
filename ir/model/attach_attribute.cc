#include "ir/model/attach_attribute.h"

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "llvm/ADT/BitVector.h"

namespace ns {

std::string FreeAttributeName(const torch::jit::Module& module,
                              absl::string_view prefix, int first) {
  // One of these numbers is free. Looking for each name takes much longer,
  // since a class compares it with the names of all attributes.
  const c10::ClassTypePtr type = module.type();
  llvm::BitVector taken(static_cast<unsigned>(type->numAttributes()) + 1);
  for (const c10::ClassAttribute& attribute : type->getAttributes()) {
    absl::string_view number = attribute.getName();
    int taken_number = 0;
    if (absl::ConsumePrefix(&number, prefix) &&
        absl::SimpleAtoi(number, &taken_number) && taken_number >= first &&
        static_cast<unsigned>(taken_number - first) < taken.size() &&
        absl::StrCat(taken_number) == number) {
      taken.set(static_cast<unsigned>(taken_number - first));
    }
  }
  return absl::StrCat(prefix, first + taken.find_first_unset());
}

std::string AttachAttribute(torch::jit::Module& module,
                            absl::string_view prefix, const c10::IValue& object,
                            int first) {
  std::string name = FreeAttributeName(module, prefix, first);
  module.register_attribute(name, object.type(), object);
  return name;
}

}  // namespace ns
