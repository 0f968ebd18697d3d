#include "ns/suite/comparisons.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/result/metrics.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {
namespace {

// Where the formulas divide 0 by 0.
bool AreZero(const PairStatistics& sums) {
  return sums.sum_x2 == 0 && sums.sum_e2 == 0;
}

// `figure` of what `compare`, which throws for other shapes, sums up.
template <typename Figure>
absl::StatusOr<double> OfSums(PairStatistics (*compare)(const at::Tensor&,
                                                        const at::Tensor&),
                              const at::Tensor& x, const at::Tensor& y,
                              const Figure& figure) {
  return CatchTorchErrors([&]() -> double { return figure(compare(x, y)); });
}

absl::Status DifferentCounts(const std::string& layer, const char* what,
                             size_t first, size_t second) {
  return absl::InvalidArgumentError(
      absl::StrCat("layer ", layer, ": one model has ", first, " ", what,
                   " and the other ", second, "; run both on the same inputs"));
}

absl::Status CompareRecords(const std::string& layer, const SingleResult& first,
                            SingleResult& second, const Comparison& comparison,
                            const std::string& name) {
  if (first.values.size() != second.values.size()) {
    return DifferentCounts(layer, "values", first.values.size(),
                           second.values.size());
  }
  std::vector<double> numbers;
  for (size_t i = 0; i < first.values.size(); ++i) {
    // A comparison of the caller's own may throw.
    NS_ASSIGN_OR_RETURN(
        const double number,
        Annotated(absl::StrCat("layer ", layer), CatchTorchErrors([&] {
                    return comparison(first.values[i], second.values[i]);
                  })));
    numbers.push_back(number);
  }
  second.comparisons[name] = std::move(numbers);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<double> ComputeSqnr(const at::Tensor& x, const at::Tensor& y) {
  return OfSums(CompareErrors, x, y, [](const PairStatistics& sums) {
    return AreZero(sums) ? NAN : sums.SqnrDb();
  });
}

absl::StatusOr<double> ComputeNormalizedL2Error(const at::Tensor& x,
                                                const at::Tensor& y) {
  return OfSums(CompareErrors, x, y, [](const PairStatistics& sums) {
    return AreZero(sums) ? NAN : sums.NormalizedL2();
  });
}

absl::StatusOr<double> ComputeCosineSimilarity(const at::Tensor& x,
                                               const at::Tensor& y) {
  return OfSums(ComparePair, x, y, [](const PairStatistics& sums) {
    return sums.sum_x2 == 0 || sums.sum_y2 == 0 ? 0 : sums.Cosine();
  });
}

absl::StatusOr<double> ComputeMaxAbsError(const at::Tensor& x,
                                          const at::Tensor& y) {
  return OfSums(ComparePair, x, y,
                [](const PairStatistics& sums) { return sums.max_abs_error; });
}

absl::StatusOr<Comparison> ComparisonByMetric(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const Metric& metric : Metrics()) {
    if (metric.name == name) {
      return Comparison([value = metric.value](const at::Tensor& x,
                                               const at::Tensor& y) {
        return CatchTorchErrors([&] { return (ComparePair(x, y).*value)(); });
      });
    }
    names.push_back(metric.name);
  }
  return absl::NotFoundError(absl::StrCat("there is no metric '", name,
                                          "'; use one of ",
                                          absl::StrJoin(names, ", ")));
}

absl::Status ExtendLoggerResultsWithComparison(
    Results& results, const std::string& model_name_1,
    const std::string& model_name_2, const Comparison& comparison,
    const std::string& comparison_name) {
  for (auto& [layer, by_type] : results.layers()) {
    for (auto& [type, by_model] : by_type) {
      const auto first = by_model.find(model_name_1);
      const auto second = by_model.find(model_name_2);
      if (first == by_model.end() || second == by_model.end()) {
        continue;
      }
      if (first->second.size() != second->second.size()) {
        return DifferentCounts(layer, "records", first->second.size(),
                               second->second.size());
      }
      for (size_t i = 0; i < first->second.size(); ++i) {
        NS_RETURN_IF_ERROR(CompareRecords(layer, first->second[i],
                                          second->second[i], comparison,
                                          comparison_name));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace ns
