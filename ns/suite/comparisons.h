// Computes error figures of results that loggers of two models have gathered.
#ifndef NS_SUITE_COMPARISONS_H_
#define NS_SUITE_COMPARISONS_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/extraction/results.h"

namespace ns {

// One number for a pair of tensors of equal shape; x is the float one, y may be
// quantized. Error: the shapes differ.
using Comparison = std::function<absl::StatusOr<double>(const at::Tensor& x,
                                                        const at::Tensor& y)>;

// These follow the formulas of PyTorch's suite: if both tensors are zero, the
// first two give 0/0 = nan, where the figures of a compared layer
// (PairStatistics) say that the tensors are equal. PyTorch's suite does not
// have the last one. Error, for each of them: the shapes differ.
//
// 20 log10(|x| / |x - y|), in dB.
absl::StatusOr<double> ComputeSqnr(const at::Tensor& x, const at::Tensor& y);
// |x - y| / |x|.
absl::StatusOr<double> ComputeNormalizedL2Error(const at::Tensor& x,
                                                const at::Tensor& y);
// x . y / (|x| |y|) over the flattened tensors; 0 if one of them is zero.
absl::StatusOr<double> ComputeCosineSimilarity(const at::Tensor& x,
                                               const at::Tensor& y);
// max |x - y|.
absl::StatusOr<double> ComputeMaxAbsError(const at::Tensor& x,
                                          const at::Tensor& y);

// Returns a function that computes the metric `name` of ns/result/metrics.h,
// such as "bias_share", by the rules of the figures of a compared layer
// (PairStatistics). Error: no such metric; the message lists them.
absl::StatusOr<Comparison> ComparisonByMetric(absl::string_view name);

// Compares, layer by layer and type by type, every record of `model_name_2`
// (y) with the record at the same place of `model_name_1` (x), and stores the
// numbers as SingleResult::comparisons[comparison_name] of the record of
// `model_name_2` (PyTorch: extend_logger_results_with_comparison). Layers that
// only one model has are left out. Error: a layer where the models have
// different numbers of records or values, or values for which `comparison`
// returns or throws an error; layers before it have their numbers.
absl::Status ExtendLoggerResultsWithComparison(
    Results& results, const std::string& model_name_1,
    const std::string& model_name_2, const Comparison& comparison,
    const std::string& comparison_name);

}  // namespace ns

#endif  // NS_SUITE_COMPARISONS_H_
