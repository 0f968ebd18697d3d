#include "ns/findings/input_mismatch.h"

#include "ns/findings/error_causes.h"
#include "ns/findings/saturation.h"

namespace ns {

std::optional<InputMismatch> InputMismatchOf(const LayerComparison& layer) {
  constexpr double kWider = 4;
  constexpr double kMostClipped = 0.2;
  constexpr double kNarrower = 1.0 / 16;
  const std::optional<double> ratio = RangeRatio(layer);
  if (!layer.float_side.op.empty() || !ratio || IsInitial(*layer.qparams)) {
    return std::nullopt;
  }
  const double width = 1 / *ratio;
  const double clipped = ClippedShare(layer).value_or(0);
  if (width >= kWider) {
    return InputMismatch{InputMismatch::Kind::kWider, width, clipped};
  }
  if (clipped > kMostClipped) {
    return InputMismatch{InputMismatch::Kind::kShifted, width, clipped};
  }
  if (width <= kNarrower) {
    return InputMismatch{InputMismatch::Kind::kNarrower, width, clipped};
  }
  return std::nullopt;
}

}  // namespace ns
