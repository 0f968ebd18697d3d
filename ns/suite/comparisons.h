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

// These mirror PyTorch's formulas: zeros on both sides give 0/0 = nan, where
// the figures of a compared layer (PairStatistics) say that the tensors are
// equal. Error, for each of them: the shapes differ.
//
// 20 log10(|x| / |x - y|), in dB.
absl::StatusOr<double> ComputeSqnr(const at::Tensor& x, const at::Tensor& y);
// |x - y| / |x|.
absl::StatusOr<double> ComputeNormalizedL2Error(const at::Tensor& x,
                                                const at::Tensor& y);
// x . y / (|x| |y|) over the flattened tensors.
absl::StatusOr<double> ComputeCosineSimilarity(const at::Tensor& x,
                                               const at::Tensor& y);
// max |x - y|.
absl::StatusOr<double> ComputeMaxAbsError(const at::Tensor& x,
                                          const at::Tensor& y);

// Computes the metric of that name (ns/suite/metrics.h), "bias_share", with the
// rules that the figures of a compared layer follow. Error: no such metric; the
// message lists them.
absl::StatusOr<Comparison> ComparisonByMetric(absl::string_view name);

// Compares, layer by layer and type by type, every record of `model_name_2`
// with the record at the same place of `model_name_1`, and stores the numbers
// in the former under `comparison_name` (PyTorch:
// extend_logger_results_with_comparison). Error: a layer where the models have
// different numbers of records or values, or values that `comparison` returns
// an error for, or throws one.
absl::Status ExtendLoggerResultsWithComparison(
    Results& results, const std::string& model_name_1,
    const std::string& model_name_2, const Comparison& comparison,
    const std::string& comparison_name);

}  // namespace ns

#endif  // NS_SUITE_COMPARISONS_H_
