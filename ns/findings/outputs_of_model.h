// Finds and judges the tensors that a model returns.
#ifndef NS_FINDINGS_OUTPUTS_OF_MODEL_H_
#define NS_FINDINGS_OUTPUTS_OF_MODEL_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Whether the SQNR of every output of the model (ComparisonResult::
// model_outputs) is `least_db` or more. False where no output was compared, and
// for an SQNR of nan.
bool OutputsReach(const ComparisonResult& result, double least_db);

// Returns the output with this name; null where there is none.
const ModuleOutputComparison* FindOutput(
    const std::vector<ModuleOutputComparison>& outputs, absl::string_view name);

// Returns the output with the lowest SQNR, nan before all; null without any.
// Those that hold integers are passed over.
const ModuleOutputComparison* LowestOutput(
    const std::vector<ModuleOutputComparison>& outputs);

}  // namespace ns

#endif  // NS_FINDINGS_OUTPUTS_OF_MODEL_H_
