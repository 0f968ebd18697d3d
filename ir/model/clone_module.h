// Copies modules into compilation units of their own.
#ifndef IR_MODEL_CLONE_MODULE_H_
#define IR_MODEL_CLONE_MODULE_H_

#include <torch/csrc/jit/api/module.h>

namespace ns {

// Returns what module.clone(/*inplace=*/true) returns: a copy with its own
// classes, methods and graphs, which shares tensors and objects with `module`.
//
// LibTorch puts such a copy into the compilation unit of `module`, which keeps
// the graphs of all copies, and the weights that are constants in them, until
// the last copy is gone. Here the copy gets a unit of its own, which is freed
// with it. That unit keeps the one of `module` alive, whose functions and
// classes the graphs may call. Throws what clone throws.
torch::jit::Module CloneModule(const torch::jit::Module& module);

}  // namespace ns

#endif  // IR_MODEL_CLONE_MODULE_H_
