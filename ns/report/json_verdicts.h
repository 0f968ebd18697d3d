// Writes what a comparison says of the models as a whole: limits and accuracy.
#ifndef NS_REPORT_JSON_VERDICTS_H_
#define NS_REPORT_JSON_VERDICTS_H_

#include <vector>

#include "ns/report/json_writer.h"
#include "ns/suite/comparison_result.h"
#include "ns/suite/limit_check.h"

namespace ns {

// Writes the member "limits" of the object that is open: for each check,
// "limit", "value", "bound" and "passed"; "layer", "output" and "figure" where
// LimitCheck has them; and "tolerance" for kMaxDrop.
void WriteLimits(JsonWriter& json, const std::vector<LimitCheck>& checks);

// Writes the members "limits", "baseline" and "accuracy", as far as `result`
// has them.
void WriteVerdicts(JsonWriter& json, const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_JSON_VERDICTS_H_
