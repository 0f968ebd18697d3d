// Metrics that users add to a comparison: functions of their own, or scripted
// modules. CompareModels takes them in CompareOptions::user_metrics:
//
//   NS_ASSIGN_OR_RETURN(UserMetric psnr, LoadUserMetric("psnr", "psnr.pt"));
//   options.user_metrics.push_back(psnr);
//
// A metric is computed wherever a layer's activation, shadow or kernel is
// compared, other outputs than the first included, in each batch; inside a
// loop, in each trip. The figure is the mean over trips and then over batches
// (ActivationComparison::user_figures); one that is nan gives a warning.
// Weights, inherited errors, stubs and outputs of modules have no figures of
// these metrics.
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
  // The name of the field in JSON and of the column in CSV and the table: one
  // that CheckMetricName (ns/report/json/metric_name.h) accepts, and that no
  // other metric has. CompareModels checks neither.
  std::string name;
  // Computes the figure of `x`, the float model's value, and `y`, the quantized
  // one's. Both are of one shape, on the CPU, and copies that the function may
  // overwrite. Quantized tensors come dequantized, in float32; others keep
  // their dtype, which is an integer one for a layer that gives indices.
  //
  // It is called from one thread at a time, that of CompareModels. Error, or
  // any std::exception: there is no figure for these. CompareModels then ends
  // after this batch with an error that names batch, metric and layer.
  std::function<absl::StatusOr<double>(const at::Tensor& x,
                                       const at::Tensor& y)>
      value;
};

// Loads the metric of a TorchScript file, a module with a method
//
//   def forward(self, float: Tensor, quantized: Tensor) -> float
//
// whatever the names of the arguments; further ones need defaults. It may also
// return an int, a bool, or a Tensor of one element. The module runs in
// evaluation mode and without gradients. `name` becomes UserMetric::name and is
// not checked: see CheckMetricName.
//
// Errors name the file: it cannot be loaded, or has another signature. Where
// forward raises, or returns a Tensor of more or fewer elements,
// UserMetric::value returns an error that names the file, too.
absl::StatusOr<UserMetric> LoadUserMetric(absl::string_view name,
                                          absl::string_view path);

}  // namespace ns

#endif  // NS_SUITE_USER_METRICS_H_
