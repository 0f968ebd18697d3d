// Loads TorchScript files, with errors that say what the file is instead.
#ifndef IR_FILES_MODULE_FILE_H_
#define IR_FILES_MODULE_FILE_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// Loads what torch.jit.save wrote to `path`, on the CPU. Errors begin with
// "<path>: " and say what is wrong with the file: invalid arguments where it is
// not found, a folder, empty, truncated, damaged, or a state_dict or another
// pickle instead of TorchScript; an engine error (ir/base/engine_error.h) where
// LibTorch fails to load a file that is whole, as for operators or classes that
// this build does not have.
//
// It is safe on damaged files: every record is compared with its checksum, and
// every tensor with its record.
absl::StatusOr<torch::jit::Module> LoadModule(absl::string_view path);

}  // namespace ns

#endif  // IR_FILES_MODULE_FILE_H_
