#include "ns/suite/compare_weight.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ns/suite/metrics.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

absl::StatusOr<std::optional<WeightComparison>> CompareWeight(
    const std::string& layer, const std::string& name, const at::Tensor& x,
    const at::Tensor& y, std::vector<std::string>& warnings) {
  if (x.sizes() != y.sizes()) {
    warnings.push_back(absl::StrCat(layer, ": shapes of ", name, " differ, [",
                                    absl::StrJoin(x.sizes(), ", "), "] and [",
                                    absl::StrJoin(y.sizes(), ", "),
                                    "]; not compared"));
    return std::nullopt;
  }
  NS_ASSIGN_OR_RETURN(
      const PairStatistics statistics,
      CatchTorchErrors(absl::StrCat("comparing the weights of ", layer),
                       [&] { return ComparePair(x, y); }));
  return WeightComparison{name, y.sizes().vec(), FiguresOf(statistics)};
}

}  // namespace ns
