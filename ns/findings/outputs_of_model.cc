#include "ns/findings/outputs_of_model.h"

#include "absl/algorithm/container.h"
#include "ns/findings/figure_text.h"

namespace ns {

bool OutputsReach(const ComparisonResult& result, double least_db) {
  return !result.model_outputs.empty() &&
         absl::c_all_of(result.model_outputs,
                        [least_db](const ModuleOutputComparison& output) {
                          return output.figures.error.sqnr_db >= least_db;
                        });
}

const ModuleOutputComparison* FindOutput(
    const std::vector<ModuleOutputComparison>& outputs,
    absl::string_view name) {
  const auto found =
      absl::c_find_if(outputs, [name](const ModuleOutputComparison& output) {
        return output.name == name;
      });
  return found == outputs.end() ? nullptr : &*found;
}

const ModuleOutputComparison* LowestOutput(
    const std::vector<ModuleOutputComparison>& outputs) {
  const ModuleOutputComparison* lowest = nullptr;
  for (const ModuleOutputComparison& output : outputs) {
    if (!output.holds_integers &&
        (lowest == nullptr || IsLowerDb(output.figures.error.sqnr_db,
                                        lowest->figures.error.sqnr_db))) {
      lowest = &output;
    }
  }
  return lowest;
}

}  // namespace ns
