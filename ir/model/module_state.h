// Copies and restores what modules keep from run to run.
#ifndef IR_MODEL_MODULE_STATE_H_
#define IR_MODEL_MODULE_STATE_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// The state of a module is what its code may write to: the attributes of the
// module and of the modules below that are tensors, plain values, or lists,
// dicts and tuples of these. Parameters and objects, such as observers, do not
// belong to it.

// Replaces the state of `module` by a copy, so that runs no longer change the
// state of modules that shared it. Parameters and objects stay shared. Throws
// what DeepCopier (ir/base/deep_copy.h) throws.
void CopyModuleState(const torch::jit::Module& module);

// Keeps a copy of the state of a module, made by a DeepCopier.
class ModuleState {
 public:
  explicit ModuleState(const torch::jit::Module& module);

  // Gives the module the state that it had. To be called once at most.
  void Restore() &&;

 private:
  struct Attribute {
    c10::intrusive_ptr<c10::ivalue::Object> object;
    size_t slot = 0;
    c10::IValue value;
  };
  std::vector<Attribute> attributes_;
};

// Explains `status`, the result of a backward pass through `module`. Autograd
// fails where it would go back through an earlier run, or where a tensor was
// written to after an op had saved it. For these two errors, the function
// returns one that names the tensor of the state that is the likely cause,
// "cache.keys": the first that was computed with gradients (no leaf), or else
// the first that was written to. It ends with `way_out`, "quantize it without
// training". Returns every other status, and an error for which the state has
// no such tensor, as it is.
absl::Status NamingState(const torch::jit::Module& module,
                         const absl::Status& status, absl::string_view way_out);

}  // namespace ns

#endif  // IR_MODEL_MODULE_STATE_H_
