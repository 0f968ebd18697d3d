// What modules keep from run to run.
#ifndef IR_MODULE_STATE_H_
#define IR_MODULE_STATE_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

// The state of a module is what ops of its code may write to: the tensors,
// plain values, lists, dicts and tuples that its attributes and those of the
// modules below are, without parameters. Objects, which observers are, are no
// state.

// Gives `module` and the modules below state of their own, equal to what it
// was. Parameters and objects stay shared. Throws what DeepCopier throws.
void CopyModuleState(const torch::jit::Module& module);

// Keeps a copy of the state of a module.
class ModuleState {
 public:
  explicit ModuleState(const torch::jit::Module& module);

  // Gives the module back what it had; once.
  void Restore() &&;

 private:
  struct Attribute {
    c10::intrusive_ptr<c10::ivalue::Object> object;
    size_t slot = 0;
    c10::IValue value;
  };
  std::vector<Attribute> attributes_;
};

// Returns the path of the tensor in the state of `module`, "cache.keys", of
// which autograd says `error`: that a run which is over would be differentiated
// again, or that a value was written to after an op had saved it. It is the
// first one with a gradient that goes on, or else the first that was written
// to; "" for none, and for other errors.
std::string StateInTheWayOfGradients(const torch::jit::Module& module,
                                     absl::string_view error);

}  // namespace ns

#endif  // IR_MODULE_STATE_H_
