// Makes the files of a command, which are written together.
#ifndef TOOLS_COMMAND_LINE_OUTPUT_FILES_H_
#define TOOLS_COMMAND_LINE_OUTPUT_FILES_H_

#include <string>

#include "ir/files/atomic_file.h"
#include "ir/model/model_graph.h"

namespace ns {

// Both return what WriteFilesAtomically writes to `path`; errors name `path`,
// not the temporary file.

// Saves `model`, which it owns, as ModelGraph::Save does.
FileToWrite ModelFile(ModelGraph model, const std::string& path);

// Writes `text`.
FileToWrite TextFile(std::string text, const std::string& path);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_OUTPUT_FILES_H_
