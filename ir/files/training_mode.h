// Tells whether a TorchScript file was saved in training mode.
#ifndef IR_FILES_TRAINING_MODE_H_
#define IR_FILES_TRAINING_MODE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace ns {

// A module in training mode whose code asks which mode it is in.
struct TrainingModule {
  // "features.1"; empty for the root module.
  std::string path;
  // Its class, "Dropout".
  std::string type;
};

// Returns the first such module of the file at `path`, in the order of its
// attributes; absent where there is none. Linear layers and other modules that
// compute the same in both modes do not count. It reads the structure and the
// code of the file, not its tensors. Absent, too, for a file that cannot be
// read: LoadModule says why.
std::optional<TrainingModule> FindTrainingModule(absl::string_view path);

// Returns a warning of that module, absent where there is none:
//
//   f.pt was saved in training mode ('1' (Dropout)) and is used in evaluation
//   mode here; call model.eval() before torch.jit.save
std::optional<std::string> TrainingModeWarning(absl::string_view path);

}  // namespace ns

#endif  // IR_FILES_TRAINING_MODE_H_
