#include "ns/suite/compare_weight.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/result/metrics.h"
#include "ns/result/value_histograms.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

absl::StatusOr<std::optional<WeightComparison>> CompareWeight(
    const std::string& layer, const std::string& name, const at::Tensor& x,
    const at::Tensor& y, bool histograms, std::vector<std::string>& warnings) {
  if (x.sizes() != y.sizes()) {
    warnings.push_back(absl::StrCat(layer, ": shapes of ", name, " differ, [",
                                    absl::StrJoin(x.sizes(), ", "), "] and [",
                                    absl::StrJoin(y.sizes(), ", "),
                                    "]; not compared"));
    return std::nullopt;
  }
  return CatchTorchErrors(
      absl::StrCat("comparing the weights of ", layer), [&] {
        WeightComparison comparison{name, y.sizes().vec(),
                                    FiguresOf(ComparePair(x, y))};
        if (histograms) {
          comparison.histograms = HistogramsOfWeight(x, y);
        }
        return std::optional(std::move(comparison));
      });
}

}  // namespace ns
