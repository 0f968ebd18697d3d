// What is said of methods that were tried and not kept.
#ifndef NS_QUANTIZATION_TRIED_METHODS_H_
#define NS_QUANTIZATION_TRIED_METHODS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/quantization_report.h"

namespace ns {

// Reasons for TriedMethod::reason.
inline constexpr absl::string_view kNoGain = "it gains nothing";
inline constexpr absl::string_view kOutputsWorse =
    "the outputs of the model get worse";

// Says of all in `tried` that were kept that they were not, for `reason`.
void DropKept(absl::string_view reason, std::vector<TriedMethod>& tried);

// The warning that `what`, "biases are not corrected", as measuring what helps
// ended with the error `status`.
std::string CannotMeasure(absl::string_view what, const absl::Status& status);

}  // namespace ns

#endif  // NS_QUANTIZATION_TRIED_METHODS_H_
