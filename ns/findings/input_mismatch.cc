#include "ns/findings/input_mismatch.h"

#include "ns/findings/error_causes.h"

namespace ns {

std::optional<double> InputMismatch(const LayerComparison& layer) {
  constexpr double kWider = 4;
  constexpr double kNarrower = 1.0 / 16;
  const std::optional<double> ratio = RangeRatio(layer);
  if (!layer.float_side.op.empty() || !ratio || IsInitial(*layer.qparams)) {
    return std::nullopt;
  }
  const double width = 1 / *ratio;
  return width >= kWider || width <= kNarrower ? std::make_optional(width)
                                               : std::nullopt;
}

}  // namespace ns
