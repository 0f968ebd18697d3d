// What modules keep from run to run.
#ifndef IR_MODULE_STATE_H_
#define IR_MODULE_STATE_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
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

// Returns `status`, what a call of autograd ended with, in words of the model
// where its state is why: a run which is over would be differentiated again, or
// a value was written to after an op had saved it. The error then names the
// tensor, "cache.keys": the first of the state with a gradient that goes on, or
// else the first that was written to. `way_out` ends it, "quantize it without
// training". Every other status is returned as it is.
absl::Status NamingState(const torch::jit::Module& module,
                         const absl::Status& status, absl::string_view way_out);

}  // namespace ns

#endif  // IR_MODULE_STATE_H_
