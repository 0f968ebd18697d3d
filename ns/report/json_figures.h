// The figures of compared values as JSON: what layers, their outputs and whole
// modules have alike.
#ifndef NS_REPORT_JSON_FIGURES_H_
#define NS_REPORT_JSON_FIGURES_H_

#include "absl/strings/string_view.h"
#include "ns/report/json_writer.h"
#include "ns/suite/comparison_result.h"

namespace ns {

// A member of the object that is open for each metric.
void WriteFigures(JsonWriter& json, const ErrorFigures& error);

// Members for all that `activation` has.
void WriteActivationFields(JsonWriter& json,
                           const ActivationComparison& activation);

// A member `key`, an object of the above.
void WriteActivation(JsonWriter& json, absl::string_view key,
                     const ActivationComparison& activation);

}  // namespace ns

#endif  // NS_REPORT_JSON_FIGURES_H_
