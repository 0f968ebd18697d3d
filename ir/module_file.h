// Loads TorchScript files, with errors that say what the file is instead.
#ifndef IR_MODULE_FILE_H_
#define IR_MODULE_FILE_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// Loads what torch.jit.save wrote to `path`, on the CPU. Errors name the file
// and what is wrong with it: not found, empty, truncated, damaged, a state_dict
// or another pickle instead of TorchScript, operators or classes that this
// build does not have. Where LibTorch fails to load a file that is whole, it is
// an engine error (ir/engine_error.h).
//
// It is safe on damaged files: every record is compared with its checksum, and
// every tensor with its record.
absl::StatusOr<torch::jit::Module> LoadModule(absl::string_view path);

}  // namespace ns

#endif  // IR_MODULE_FILE_H_
