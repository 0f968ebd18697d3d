// Checks the names of metrics that users add to a comparison.
#ifndef NS_REPORT_JSON_METRIC_NAME_H_
#define NS_REPORT_JSON_METRIC_NAME_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// Returns OK for a name that a metric of the user (ns/suite/user_metrics.h) can
// have in JSON and CSV. Error (InvalidArgument): it is not made of letters,
// digits and "_", starts with a digit, or belongs to another field or column.
absl::Status CheckMetricName(absl::string_view name);

}  // namespace ns

#endif  // NS_REPORT_JSON_METRIC_NAME_H_
