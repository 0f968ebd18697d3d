// Writes the figures of compared values as JSON, in the same way for layers,
// their outputs and whole modules.
#ifndef NS_REPORT_JSON_FIGURES_H_
#define NS_REPORT_JSON_FIGURES_H_

#include "absl/strings/string_view.h"
#include "ns/report/json_writer.h"
#include "ns/suite/comparison_result.h"

namespace ns {

// Writes a member for each metric into the object that is open.
void WriteFigures(JsonWriter& json, const ErrorFigures& error);

// Writes members for all figures that `activation` has.
void WriteActivationFields(JsonWriter& json,
                           const ActivationComparison& activation);

// Writes a member `key` whose value is an object of these members.
void WriteActivation(JsonWriter& json, absl::string_view key,
                     const ActivationComparison& activation);

}  // namespace ns

#endif  // NS_REPORT_JSON_FIGURES_H_
