// Reads and copies what describes a module, such as its stride: TorchScript
// keeps it as an attribute or, for a Final or a constant of the Python class,
// as a constant of the class.
#ifndef IR_HIERARCHY_MODULE_FIELDS_H_
#define IR_HIERARCHY_MODULE_FIELDS_H_

#include <torch/csrc/jit/api/module.h>

#include <optional>
#include <string>

namespace ns {

// Returns the attribute or constant `name` of `module`, if it has one.
std::optional<c10::IValue> FieldOf(const torch::jit::Module& module,
                                   const std::string& name);

// Gives `to` the constants of `from`, and those of its attributes that are
// neither tensors nor objects nor None, where `to` has none of the name.
void CopyFields(const torch::jit::Module& from, torch::jit::Module& to);

}  // namespace ns

#endif  // IR_HIERARCHY_MODULE_FIELDS_H_
