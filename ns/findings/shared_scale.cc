#include "ns/findings/shared_scale.h"

#include <vector>

#include "ns/findings/calibration.h"
#include "ns/findings/error_causes.h"
#include "ns/findings/value_flow.h"

namespace ns {
namespace {

// A range of 8 bits, or of 7, with room for what calibration has not seen.
constexpr double kFits = 3;

bool HaveSameQParams(const LayerComparison& a, const LayerComparison& b) {
  return a.qparams && b.qparams && a.qparams->scale == b.qparams->scale &&
         a.qparams->zero_point == b.qparams->zero_point;
}

// Returns which layers hand their range on to layer `index`, through layers
// that all have the same qparams.
std::vector<bool> Origins(const ComparisonResult& result, size_t index) {
  return FlowsInto(result, index, [&](size_t reader, size_t producer) {
    return HaveSameQParams(result.layers[reader], result.layers[producer]);
  });
}

}  // namespace

std::optional<size_t> SharesScaleWith(const ComparisonResult& result,
                                      size_t index) {
  const LayerComparison& layer = result.layers[index];
  const std::optional<double> own = RangeRatio(layer);
  if (!own || IsInitial(*layer.qparams) || IsFixedScale(*layer.qparams)) {
    return std::nullopt;
  }
  const std::vector<bool> origins = Origins(result, index);
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& other = result.layers[i];
    const std::optional<double> ratio = RangeRatio(other);
    if (!origins[i] && HaveSameQParams(layer, other) && ratio &&
        *ratio < kFits && *own >= kSharedScaleRatio * *ratio &&
        !Origins(result, i)[index]) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace ns
