#include "ns/findings/reduced_range.h"

#include <optional>

#include "absl/algorithm/container.h"
#include "ns/findings/calibration.h"
#include "ns/findings/error_causes.h"

namespace ns {

size_t ReducedRanges(const ComparisonResult& result) {
  constexpr double kGoodDb = 30;
  constexpr int64_t kHighest = 127;
  constexpr double kHalfRange = 1.6;
  constexpr size_t kFewest = 3;
  constexpr double kMost = 0.8;
  const bool loses = absl::c_any_of(
      result.model_outputs, [](const ModuleOutputComparison& output) {
        return output.figures.error.sqnr_db < kGoodDb;
      });
  if (!loses) {
    return 0;
  }
  size_t count = 0;
  size_t halves = 0;
  for (const LayerComparison& layer : result.layers) {
    const std::optional<double> ratio = RangeRatio(layer);
    if (!ratio || IsFixedScale(*layer.qparams)) {
      continue;
    }
    if (layer.qparams->zero_point > kHighest) {
      return 0;
    }
    ++count;
    halves += *ratio >= kHalfRange && *ratio < kWideRange ? 1 : 0;
  }
  return count >= kFewest && static_cast<double>(halves) >=
                                 kMost * static_cast<double>(count)
             ? count
             : 0;
}

}  // namespace ns
