// Texts for the report about methods that were tried and not kept (TriedMethod
// in passes/quantization/layers/quantization_report.h).
#ifndef NS_QUANTIZATION_ACCURATE_TRIED_METHODS_H_
#define NS_QUANTIZATION_ACCURATE_TRIED_METHODS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/layers/quantization_report.h"

namespace ns {

// Reasons for TriedMethod::reason.
inline constexpr absl::string_view kNoGain = "it gains nothing";
inline constexpr absl::string_view kOtherGainsMore = "another way gains more";
inline constexpr absl::string_view kOutputsGainLittle =
    "the outputs of the model gain too little";
inline constexpr absl::string_view kOutputsWorse =
    "the outputs of the model get worse";

// Marks all methods in `tried` that are kept as not kept, with this reason.
void DropKept(absl::string_view reason, std::vector<TriedMethod>& tried);

// Returns the warning for a method that is not applied because measuring
// whether it helps failed with the error `status`. `what` says what is not
// done: "biases are not corrected".
std::string CannotMeasure(absl::string_view what, const absl::Status& status);

}  // namespace ns

#endif  // NS_QUANTIZATION_ACCURATE_TRIED_METHODS_H_
