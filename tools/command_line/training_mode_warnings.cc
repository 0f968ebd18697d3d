#include "tools/command_line/training_mode_warnings.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/training_mode.h"

namespace ns {

std::vector<std::string> TrainingModeWarnings(
    const std::vector<std::string>& paths) {
  std::vector<std::string> warnings;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    if (!seen.insert(path).second) {
      continue;
    }
    if (const std::optional<TrainingModule> found = FindTrainingModule(path)) {
      warnings.push_back(absl::StrCat(
          path, " was saved in training mode (",
          found->path.empty()
              ? found->type
              : absl::StrCat("'", found->path, "' (", found->type, ")"),
          ") and is used in evaluation mode here; call model.eval() before "
          "torch.jit.save"));
    }
  }
  return warnings;
}

}  // namespace ns
