// Writes TorchScript files.
#ifndef IR_FILES_WRITE_MODULE_H_
#define IR_FILES_WRITE_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ns {

// The record of a file that says how the model was made. torch.jit.load leaves
// it alone, and gives it to who asks for the extra file "ns_provenance.json".
inline constexpr char kProvenanceRecord[] = "extra/ns_provenance.json";

// What the messages of WriteModule begin with.
struct WriteModuleNames {
  // Where LibTorch refuses: "a.pt: cannot save it as b.pt".
  std::string what;
  // Where the file cannot be written: "b.pt".
  std::string path;
};

// Writes `module` to `path`, and `provenance` into its record, unless that is
// empty. Error: a module that LibTorch cannot save, or a file that cannot be
// written.
absl::Status WriteModule(const torch::jit::Module& module,
                         const WriteModuleNames& names, const std::string& path,
                         const std::string& provenance = "");

// Returns the provenance in the file `path`, a whole one; empty for none.
// Error: a file that cannot be read.
absl::StatusOr<std::string> ReadProvenance(const std::string& path);

}  // namespace ns

#endif  // IR_FILES_WRITE_MODULE_H_
