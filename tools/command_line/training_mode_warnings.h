// Warns of model files that were saved in training mode.
#ifndef TOOLS_COMMAND_LINE_TRAINING_MODE_WARNINGS_H_
#define TOOLS_COMMAND_LINE_TRAINING_MODE_WARNINGS_H_

#include <string>
#include <vector>

namespace ns {

// Returns a line for each of the TorchScript files that has a
// FindTrainingModule (ir/training_mode.h): models are evaluated here, and in
// training mode they compute something else. Paths that are equal count once.
//
//   f.pt was saved in training mode ('1' (Dropout)) and is used in evaluation
//   mode here; call model.eval() before torch.jit.save
std::vector<std::string> TrainingModeWarnings(
    const std::vector<std::string>& paths);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_TRAINING_MODE_WARNINGS_H_
