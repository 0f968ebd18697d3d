// Makes the files of a command, which are written together.
#ifndef TOOLS_COMMAND_LINE_OUTPUT_FILES_H_
#define TOOLS_COMMAND_LINE_OUTPUT_FILES_H_

#include <string>
#include <vector>

#include "ir/files/atomic_file.h"
#include "ir/model/model_graph.h"

namespace ns {

// What a model was made with, to be told in its file (ns/result/provenance.h).
struct ModelOrigin {
  // Flags::CommandText.
  std::string command;
  // The files that were read. Those that do not exist, such as inputs that were
  // made up, are left out.
  std::vector<std::string> inputs;
};

// Both return what WriteFilesAtomically writes to `path`; errors name `path`,
// not the temporary file.

// Saves `model`, which it owns, with its origin, the engine that is set now,
// and LibTorch's release.
FileToWrite ModelFile(ModelGraph model, const std::string& path,
                      const ModelOrigin& origin);

// Writes `text`.
FileToWrite TextFile(std::string text, const std::string& path);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_OUTPUT_FILES_H_
