// Metrics that users add to a comparison: functions of their own, or scripted
// modules.
#ifndef NS_SUITE_USER_METRICS_H_
#define NS_SUITE_USER_METRICS_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

struct UserMetric {
  // The name of the field in JSON and of the column in CSV and the table.
  std::string name;
  // Computes the figure of `x`, the float model's value, and `y`, the quantized
  // one's, dequantized: two tensors of one shape that the function may
  // overwrite. Error: the metric has none for them; the comparison ends with
  // its message.
  std::function<absl::StatusOr<double>(const at::Tensor& x,
                                       const at::Tensor& y)>
      value;
};

// Checks the name of a metric. Error: a name that is not made of letters,
// digits and "_", starts with a digit, or that a field or column of the
// comparison has already.
absl::Status CheckMetricName(absl::string_view name);

// Loads the metric of a TorchScript file, a module with a method
//
//   def forward(self, float: Tensor, quantized: Tensor) -> float
//
// whatever the names of the arguments; further ones need defaults. It may also
// return an int, a bool, or a Tensor of one element. Errors name the file: it
// cannot be loaded, or has another signature.
absl::StatusOr<UserMetric> LoadUserMetric(absl::string_view name,
                                          absl::string_view path);

}  // namespace ns

#endif  // NS_SUITE_USER_METRICS_H_
