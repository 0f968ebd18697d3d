#include "ns/findings/input_mismatch.h"

#include "ns/findings/error_causes.h"
#include "ns/findings/saturation.h"

namespace ns {

std::optional<double> InputWidth(const LayerComparison& layer) {
  const std::optional<double> ratio = RangeRatio(layer);
  return layer.float_side.op.empty() && ratio && !IsInitial(*layer.qparams)
             ? std::make_optional(1 / *ratio)
             : std::nullopt;
}

bool IsInputMismatch(const LayerComparison& layer) {
  constexpr double kWider = 4;
  constexpr double kNarrower = 1.0 / 16;
  constexpr double kMostClipped = 0.2;
  const std::optional<double> width = InputWidth(layer);
  return width && (*width >= kWider || *width <= kNarrower ||
                   ClippedShare(layer).value_or(0) > kMostClipped);
}

}  // namespace ns
