// Recognizes files of other tools, to say what they are and what to do.
#ifndef IR_FILES_FOREIGN_FILE_H_
#define IR_FILES_FOREIGN_FILE_H_

#include <optional>
#include <string>

#include "ir/files/input_file.h"

namespace ns {

// A file that is no TorchScript. Texts have no end.
struct ForeignFile {
  // What it is, as a phrase that continues "<path>: ": "is an ONNX model".
  std::string what;
  // How someone who gave it as a model gets one.
  std::string mend_model;
  // How someone who gave it as sample inputs gets them; empty where nothing can
  // be made of the file.
  std::string mend_inputs;
};

// Recognizes by its bytes, not by its name: programs of torch.export and
// packages of AOTInductor (.pt2), ONNX, TFLite, GGUF, HDF5, safetensors, NumPy
// arrays, pickled modules, checkpoints, state dicts, lists, legacy and bare
// pickles, images, compressed files, pages of HTML, pointers of Git LFS, and
// other archives. Returns nullopt for all others, TorchScript among them. It is
// safe on any bytes.
std::optional<ForeignFile> RecognizeForeignFile(const InputFile& file);

}  // namespace ns

#endif  // IR_FILES_FOREIGN_FILE_H_
