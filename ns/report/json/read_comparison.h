// Reads back what `ns compare --json` wrote.
#ifndef NS_REPORT_JSON_READ_COMPARISON_H_
#define NS_REPORT_JSON_READ_COMPARISON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Returns the comparison that ToJson (ns/report/json/json_report.h) made `text`
// of. `source` names it in messages. What ToJson writes is required where it is
// always written, and may be absent otherwise; fields that this version does
// not know are left out, so that files of later versions can be read.
//
// The result is for comparing figures, as `ns diff` and baselines do. What is
// not in the JSON, or only derived (comparison_map.h), stays as in an empty
// result: of a layer its family, producers, runs_in and tried_changes; of the
// whole, coverage, swapped, warnings, and inputs_are_finite, which is true.
// What is computed from these (BlameOf, CauseOf, FirstUnexplainedFall) is
// absent, or differs from what it was.
//
// Metrics of the user are the floats ("0.0", not "0") among a layer's figures
// that are no fields of this schema; they come in the order of their names.
//
// Errors, of one line that begins with `source`: no JSON, or cut off, with line
// and column; another schema, with its name; a field that is missing or of
// another type, with its place ("layers[3].activation.shape").
absl::StatusOr<ComparisonResult> ParseComparison(absl::string_view text,
                                                 absl::string_view source);

// Does so for the file at `path`. Errors: as above; a file that cannot be read.
absl::StatusOr<ComparisonResult> ReadComparison(const std::string& path);

}  // namespace ns

#endif  // NS_REPORT_JSON_READ_COMPARISON_H_
