// Attaches objects that a graph calls to its module, as attributes.
#ifndef IR_MODEL_ATTACH_ATTRIBUTE_H_
#define IR_MODEL_ATTACH_ATTRIBUTE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace c10 {
struct IValue;
}  // namespace c10

namespace torch::jit {
struct Module;
}  // namespace torch::jit

namespace ns {

// Returns `prefix` with the first number, from `first` on, that makes a name
// that no attribute of `module` has yet: "ns_logger_0".
std::string FreeAttributeName(const torch::jit::Module& module,
                              absl::string_view prefix, int first = 0);

// Makes `object` an attribute of `module`, and returns its FreeAttributeName.
std::string AttachAttribute(torch::jit::Module& module,
                            absl::string_view prefix, const c10::IValue& object,
                            int first = 0);

}  // namespace ns

#endif  // IR_MODEL_ATTACH_ATTRIBUTE_H_
