#include "ns/findings/good_outputs.h"

#include "absl/algorithm/container.h"

namespace ns {

bool OutputsReach(const ComparisonResult& result, double least_db) {
  return !result.model_outputs.empty() &&
         absl::c_all_of(result.model_outputs,
                        [least_db](const ModuleOutputComparison& output) {
                          return output.figures.error.sqnr_db >= least_db;
                        });
}

}  // namespace ns
