// Says how a model file was made.
#ifndef NS_RESULT_PROVENANCE_H_
#define NS_RESULT_PROVENANCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// There is no date in it: equal commands on equal files write equal files.
struct Provenance {
  // "ns 0.1.0".
  std::string tool;
  // The command line, as a shell takes it.
  std::string command;
  // LibTorch's release, its quantized engine, and the name of the processor.
  std::string libtorch;
  std::string engine;
  std::string processor;
  // What was read: the float model and inputs, or the model before.
  struct File {
    std::string path;
    std::string sha256;
  };
  std::vector<File> files;
};

// Returns it as JSON, as it stands in the file
// (kProvenanceRecord in ir/files/write_module.h).
std::string ProvenanceJson(const Provenance& provenance);

// Returns what ProvenanceJson wrote. Error: other text; the message names the
// member.
absl::StatusOr<Provenance> ParseProvenance(absl::string_view json);

}  // namespace ns

#endif  // NS_RESULT_PROVENANCE_H_
